"""Renders a script: the frames that a camera above a table would take of it, and the exact truth about each.

The table with everything that lies on it is kept as a finished picture and only changed where something was put down
or taken away. For each frame the moving things (hands, cards in the air, their shadows) are laid over the part of it
that they cover, and noise over all of it.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame, Image
from hardware.simulated.choreography import Choreography, Spot
from hardware.simulated.deck import Deck
from hardware.simulated.hands import corners_mm, draw_hand, shadow_corners_mm
from hardware.simulated.look import Look
from hardware.simulated.motion import Flight, HandAt, Lying
from hardware.simulated.sprites import Box, Sprite, covering, darkening, smear, warp
from hardware.simulated.tabletop import LIGHT_ONE, glare_map, light_map, tabletop
from hardware.simulated.view import View
from hardware.tablefile import Points, Table
from referee.cards import Card
from referee.script import Script

_SHOWN_OF_A_STACK: Final = 6
"""Cards further down a stack cannot be seen."""
_EDGE_PX: Final = 6
"""Room for soft shadows and the lens's blur around a changed part."""


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card in a frame. `quad_px`: float64 (4, 2), its own top left, top right, bottom right, bottom left."""

    card: Card
    up: bool
    spot: Spot
    """Where it lies; `air` while it is carried."""
    top: bool
    """Nothing lies on it in its stack."""
    quad_px: Points


@dataclass(frozen=True, slots=True)
class Truth:
    """What really was on the table when a frame was taken."""

    at_ns: int
    cards: tuple[SeenCard, ...]
    hands: tuple[tuple[HandAt, tuple[float, float]], ...]
    """Each hand over the table with its fingertips in pixels."""


class Renderer:
    """Frames of one script under one look. Asking for moments in order is fast; going back starts again."""

    def __init__(self, script: Script, look: Look) -> None:
        self.look = look
        self.choreography = Choreography(script, look)
        self.view = View(look.camera)
        scale = self.view.table((63.5, 88.9)).px_per_mm()
        self.deck = Deck(look.deck, px_per_mm=1.3 * scale)
        self._whole = Box(0, 0, *look.camera.size_px)
        self._table = tabletop(look, self.view)
        self._light = light_map(look.lamp, self.view)
        self._glare = glare_map(look.lamp, self.view)
        self._noise = _noise(look)
        self._hands = {
            (player, hand, pose): draw_hand(look.hands[player], hand, pose)
            for (player, hand), path in self.choreography.hands.items()
            for pose in sorted({key.pose for key in path.keys})
        }
        self._change_times = [change.at_ns for change in self.choreography.changes]
        self._longest_flight_ns = max((f.end_ns - f.begin_ns for f in self.choreography.flights), default=0)
        self._flight_times = [flight.begin_ns for flight in self.choreography.flights]
        self._start_again()

    def table(self) -> Table:
        """Return the exact table file of this view."""
        return self.view.table(self.deck.size_mm)

    def frame(self, number: int) -> Frame:
        """Return frame `number`, taken around `number / fps`."""
        at_ns = round(number * 1e9 / self.look.fps)
        return Frame(at_ns=at_ns, image=self.picture(at_ns, number), number=number)

    def picture(self, at_ns: int, noise_seed: int = 0) -> Image:
        """Return what the camera sees at a moment of the script: uint8, shape (height, width, 3)."""
        self._advance(at_ns)
        picture = self._finished.copy()
        sprites = self._moving(at_ns)
        for part in _parts(sprites):
            self._develop(part, sprites, picture)
        return self._camera(picture, noise_seed)

    def truth(self, at_ns: int) -> Truth:
        """Return what really lies and moves there at a moment."""
        self._advance(at_ns)
        cards = [
            SeenCard(lying.card, lying.up, spot, n == len(stack) - 1, self._quad_px(lying))
            for spot, stack in self._stacks.items()
            for n, lying in enumerate(stack)
        ]
        for flight in self._in_the_air(at_ns):
            lying, tip = flight.at(at_ns)
            cards.append(SeenCard(lying.card, lying.up, "air", True, self._quad_px(lying, tip)))
        hands = []
        for path in self.choreography.hands.values():
            if (hand := path.at(at_ns)) is not None:
                tip_px = self.view.px(np.array([(hand.x_mm, hand.y_mm, hand.z_mm)]))[0]
                hands.append((hand, (float(tip_px[0]), float(tip_px[1]))))
        return Truth(at_ns, tuple(cards), tuple(hands))

    def visible(self, at_ns: int, card: Card) -> float:
        """Return the share of a lying card's face that neither hands nor cards hide; 0 where it lies nowhere."""
        self._advance(at_ns)
        for stack in self._stacks.values():
            for n, lying in enumerate(stack):
                if lying.card == card:
                    return self._visible(at_ns, [self._quad_px(one) for one in stack[n:]])
        return 0.0

    def _visible(self, at_ns: int, quads: list[Points]) -> float:
        """Return the share of the first quad that the others and whatever moves leave free."""
        box = Box.around(quads[0], 1, self._whole.size)
        if box is None:
            return 0.0
        shows = np.zeros(box.size[::-1], np.uint8)
        corner = box.x0, box.y0
        cv2.fillConvexPoly(shows, np.rint(quads[0] - corner).astype(np.int32), 255)
        whole = cv2.countNonZero(shows)
        for quad in quads[1:]:
            cv2.fillConvexPoly(shows, np.rint(quad - corner).astype(np.int32), 0)
        for sprite in self._moving(at_ns):
            if sprite.add is not None and sprite.box.meets(box):
                common = sprite.box.common(box)
                common.inside(box, shows)[common.inside(sprite.box, sprite.keep)[..., 0] < 128] = 0
        return cv2.countNonZero(shows) / max(1, whole)

    # -- what lies --------------------------------------------------------------------------------------------------

    def _start_again(self) -> None:
        self._stacks: dict[Spot, tuple[Lying, ...]] = {}
        self._lying: dict[Spot, list[Sprite]] = {}
        self._done = 0
        self._now = 0
        self._albedo = self._table.copy()
        self._finished = np.empty_like(self._albedo)
        self._develop(self._whole, [], self._finished)

    def _advance(self, at_ns: int) -> None:
        """Bring the picture of lying cards up to a moment."""
        if at_ns < self._now:
            self._start_again()
        self._now = at_ns
        upto = bisect_right(self._change_times, at_ns)
        stale: list[Box] = []
        latest = {change.spot: change.cards for change in self.choreography.changes[self._done : upto]}
        for spot, cards in latest.items():
            stale += [sprite.box for sprite in self._lying.get(spot, [])]
            self._stacks[spot] = cards
            self._lying[spot] = [s for lying in cards[-_SHOWN_OF_A_STACK:] if (s := self._card_sprite(lying))]
            stale += [sprite.box for sprite in self._lying[spot]]
        self._done = upto
        for box in stale:
            self._redraw(box)

    def _redraw(self, box: Box) -> None:
        box.of(self._albedo)[:] = box.of(self._table)
        for sprites in self._lying.values():
            for sprite in sprites:
                sprite.lay_on(box.of(self._albedo), box)
        self._develop(box.grown(_EDGE_PX, self._whole.size), [], self._finished)

    def _quad_mm(self, lying: Lying, tip_deg: float = 0.0) -> NDArray[np.float64]:
        """Return a card's corners, from its own top left clockwise: (4, 3) mm."""
        width, height = self.deck.size_mm
        turn, tip = np.radians(lying.angle_deg), np.radians(tip_deg)
        across = np.array([np.cos(turn) * np.cos(tip), np.sin(turn) * np.cos(tip), np.sin(tip)]) * width / 2
        along = np.array([-np.sin(turn), np.cos(turn), 0.0]) * height / 2
        middle = np.array([lying.x_mm, lying.y_mm, lying.z_mm])
        return middle + np.stack([along - across, along + across, across - along, -across - along])

    def _quad_px(self, lying: Lying, tip_deg: float = 0.0) -> Points:
        return self.view.px(self._quad_mm(lying, tip_deg))

    def _card_sprite(self, lying: Lying) -> Sprite | None:
        """Return a lying card with the soft shadow at its edge; None outside the picture."""
        quad = self._quad_px(lying)
        box = Box.around(quad, _EDGE_PX, self._whole.size)
        if box is None:
            return None
        art = warp(self.deck.art(lying.card if lying.up else None), quad, box)
        card = covering(box, art)
        slope = self.look.lamp.shadow_slope
        shadow = cv2.warpAffine(
            art[..., 3], np.array([[1, 0, 4 * slope[0]], [0, 1, -4 * slope[1]]]), box.size, flags=cv2.INTER_LINEAR
        )
        shade = darkening(box, np.asarray(cv2.GaussianBlur(shadow, (0, 0), 1.5), np.uint8), 0.55)
        return Sprite(box, np.asarray(cv2.multiply(card.keep, shade.keep, scale=1 / 255), np.uint8), card.add)

    # -- what moves -------------------------------------------------------------------------------------------------

    def _in_the_air(self, at_ns: int) -> list[Flight]:
        first = bisect_right(self._flight_times, at_ns - self._longest_flight_ns - 1)
        last = bisect_right(self._flight_times, at_ns)
        return [flight for flight in self.choreography.flights[first:last] if flight.begin_ns <= at_ns < flight.end_ns]

    def _moving(self, at_ns: int) -> list[Sprite]:
        """Return shadows first, then each player's cards in the air and the hands over them."""
        opens = at_ns - round(self.look.shutter_s * 5e8)
        closes = opens + round(self.look.shutter_s * 1e9)
        shadows: list[Sprite] = []
        things: list[Sprite] = []
        for flight in self._in_the_air(at_ns):
            self._draw_flight(flight, opens, closes, shadows, things)
        for path in self.choreography.hands.values():
            before, after = path.at(opens), path.at(closes)
            if before and after:
                self._draw_hand(before, after, shadows, things)
        return shadows + things

    def _draw_flight(
        self, flight: Flight, opens: int, closes: int, shadows: list[Sprite], things: list[Sprite]
    ) -> None:
        lying, tip = flight.at(opens)
        corners = self._quad_mm(lying, tip)
        quad = self.view.px(corners)
        moved = self.view.px(self._quad_mm(*flight.at(closes))).mean(axis=0) - quad.mean(axis=0)
        box = Box.around(np.concatenate([quad, quad + moved]), 2, self._whole.size)
        if box is None:
            return
        side = self.deck.art(lying.card if lying.up else None)
        things.append(covering(box, smear(warp(side, quad, box), moved)))
        shadow_quad = self.view.px(shadow_corners_mm(corners, self.look.lamp.shadow_slope))
        shadow_box = Box.around(shadow_quad, _EDGE_PX, self._whole.size)
        if shadow_box is not None:
            soft = cv2.blur(warp(np.ascontiguousarray(side[..., 3]), shadow_quad, shadow_box), (9, 9))
            shadows.append(darkening(shadow_box, np.asarray(soft, np.uint8), self.look.lamp.shadow))

    def _draw_hand(self, before: HandAt, after: HandAt, shadows: list[Sprite], things: list[Sprite]) -> None:
        size = self.look.hands[before.player].size
        corners = corners_mm(before, size)
        quad = self.view.px(corners)
        moved = (self.view.px(corners_mm(after, size)) - quad)[:2].mean(axis=0)
        box = Box.around(np.concatenate([quad, quad + moved]), 2, self._whole.size)
        art = self._hands[before.player, before.hand, before.pose]
        if box is not None:
            things.append(covering(box, smear(warp(art.picture, quad, box), moved)))
        shadow_quad = self.view.px(shadow_corners_mm(corners, self.look.lamp.shadow_slope))
        shadow_box = Box.around(shadow_quad, 2, self._whole.size)
        if shadow_box is not None:
            shadows.append(darkening(shadow_box, warp(art.shadow, shadow_quad, shadow_box), self.look.lamp.shadow))

    # -- lamp and lens ----------------------------------------------------------------------------------------------

    def _develop(self, box: Box, sprites: list[Sprite], picture: Image) -> None:
        """Light a part of the table, with the sprites over it, and put it into the picture as the lens draws it."""
        wide = box.grown(_EDGE_PX, self._whole.size)
        part = wide.of(self._albedo).copy()
        for sprite in sprites:
            sprite.lay_on(part, wide)
        cv2.multiply(part, wide.of(self._light), part, 1 / LIGHT_ONE)
        if self._glare is not None:
            cv2.add(part, wide.of(self._glare), part)
        if self.look.defocus_px > 0:
            part = np.asarray(cv2.GaussianBlur(part, (5, 5), self.look.defocus_px), np.uint8)
        box.of(picture)[:] = box.inside(wide, part)

    def _camera(self, picture: Image, noise_seed: int) -> Image:
        """Add the sensor's noise, and the compression where the camera has one."""
        if self.look.noise > 0:
            width, height = self._whole.size
            brighter, darker = self._noise
            x, y = (noise_seed * 37) % 64, (noise_seed * 53) % 61
            cv2.add(picture, brighter[y : y + height, x : x + width], picture)
            cv2.subtract(picture, darker[y : y + height, x : x + width], picture)
        if self.look.jpeg_quality is not None:
            _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self.look.jpeg_quality])
            picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return picture


def _parts(sprites: list[Sprite]) -> list[Box]:
    """Return the parts of the picture that the sprites touch: boxes that do not meet each other."""
    parts: list[Box] = []
    for sprite in sprites:
        grown = sprite.box
        while meeting := [part for part in parts if part.meets(grown)]:
            for part in meeting:
                parts.remove(part)
                grown = grown.joined(part)
        parts.append(grown)
    return parts


def _noise(look: Look) -> tuple[Image, Image]:
    """Return what noise adds and what it takes away: two pictures a little larger than a frame."""
    rng = np.random.default_rng(look.seed)
    width, height = look.camera.size_px
    grain = cv2.GaussianBlur(rng.normal(0, 1.0, (height + 64, width + 64, 3)).astype(np.float32), (3, 3), 0.6)
    grain = grain * (look.noise / float(grain.std()))
    return (
        np.clip(np.rint(grain), 0, 255).astype(np.uint8),
        np.clip(np.rint(-grain), 0, 255).astype(np.uint8),
    )
