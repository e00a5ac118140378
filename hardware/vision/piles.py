"""The top of a middle pile in a settled picture: where it lies, what it shows, and what changed since the last one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.cardfit import Fit, Free, fit_cards, fit_free_cards
from hardware.vision.changes import STEP, Change
from hardware.vision.corners import Index
from hardware.vision.indexed import card_of, cards_of, is_new, lies_still
from hardware.vision.prints import Prints, correlation
from hardware.vision.reader import CROP_CORNERS, CROP_MARGIN, CROP_SIZE, Reader, Reading, mean_reading, rectify
from hardware.vision.rectify import Patch, Pose
from hardware.vision.steps import Steps, at_once
from hardware.vision.tops import FOUR_SIDES, LEAST_EDGES, NOTHING_THERE, SURE_ENOUGH, Face, Finding, Top, is_same

Gray = NDArray[np.uint8]

LEAST_CHANGE_MM2: Final = 60.0
COARSE_PX_PER_MM: Final = 0.625
"""The scale at which cards are searched for everywhere."""
ROUGH_PX_PER_MM: Final = 0.4
"""The scale at which the print of a known card is looked for."""
MOST_READ: Final = 3
MOST_READ_AT_FIRST: Final = 8
MOST_READ_UNDER_HANDS: Final = 6
COVERED_OFF: Final = 0.7
"""So much less is an answer worth that sees the old card where it does not show any more."""
HALF_CARD: Final = (44, 30)
"""Pixels across and down in which the free half of a card is compared with what was there before."""
OLD: Final = 0.8
"""Correlation with the picture before from which a card has lain there all the time."""
BARELY_SURE: Final = 0.8
BARELY_READ: Final = 0.3
JITTER_MM: Final = ((0.0, 0.0), (1.5, 1.0), (-1.5, -1.0))
"""Where a card that is hard to read is read again: the mean over small shifts is better than any one of them."""
FURTHER_MM: Final = 24.0
READ_WORTH: Final = 0.6
"""So much a certain reading adds to the worth of an answer."""
INDEX_EDGES: Final = 0.2
"""Two indices in opposite corners are worth four edges (FOUR_SIDES)."""
BARE: Final = 0.5
"""Of a card that shows an index and is less likely to be whole, another one lies on top."""
RIM_MM: Final = 4.0
"""A card's place is known so well."""
LEAST_BESIDE_MM2: Final = 100.0
"""A covered card whose index shows beside its cover changes at least so much there."""
CLEAR_INDEX: Final = 0.6
"""An index that is marked less surely is no proof of a card of which nothing else shows."""
UNREAD: Final = Reading({}, 0.0, 0.0)
INDEX_ROOM_MM: Final = 12.0
"""What is round an index tells that it is one."""
HARDLY_EDGES: Final = 0.1
"""With a lower score than this no card was ever found where nothing else said that one might lie."""
LIKE_IT: Final = 0.6
"""Correlation from which a card's own print may lie there."""
MUCH_ALIKE: Final = 0.75
"""Correlation from which it is that card, even if it is read as another one."""
SURELY_IT: Final = 0.85
"""Correlation that no other card reaches."""
HALF_ALIKE: Final = 0.85
"""Correlation from which such a part may lie there: of 40 that did, in five drills, two had less."""
MOST_LIKE: Final = 3
"""So many places where a half print fits best are read."""
MOST_FREE: Final = 2
HARDLY_NOTHING: Final = 0.1
THREE_SIDES: Final = 0.28
"""With a lower score than this no card was ever read whose player's hand covers one end of it."""
LEAST_WORTH: Final = 0.4
"""What is found under a hand and worth less is a card that lay there before, seen a little off."""
COURTS: Final = "JQK"
"""Ranks without pips."""
NEARLY_DEG: Final = np.array([-2.5, 0.0, 2.5])
NEARLY_MM: Final = 3.0
ABOUT_DEG: Final = np.array([-5.0, 0.0, 5.0])
ABOUT_MM: Final = 8.0
"""The next card of a stack lies about where the one before it lay."""
PLAIN_SHARE: Final = 0.9
"""A back has a pattern all over; a place printed on a mat has only an outline and a letter."""


def _gray(picture: NDArray[Any]) -> Gray:
    """Return the darkest channel: paper is bright in all three, so that it stands out from any cloth and print."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


def _small_gray(picture: NDArray[Any], size: tuple[int, int]) -> Gray:
    """Return the same at another size, which is cheaper than the other way round."""
    return np.asarray(cv2.resize(_gray(picture), size, interpolation=cv2.INTER_AREA), np.uint8)


def plainness(crop: Image) -> float:
    """Return the share of a card's inner part, margins left out, that is as bright as what is around it."""
    height, width = crop.shape[:2]
    gray = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)[height // 8 : -height // 8, width // 8 : -width // 8]
    off = cv2.absdiff(gray, cv2.medianBlur(gray, 31))
    return float((off < STEP - 4.0).mean())


class TopFinder:
    """Finds the card on top near one point of the table, in pictures of `patch`."""

    def __init__(
        self,
        patch: Patch,
        card_mm: tuple[float, float],
        reader: Reader,
        around_mm: tuple[float, float],
        reach_mm: float,
        turned_deg: float,
    ) -> None:
        """The card's centre lies within `reach_mm` of `around_mm`, its sides within `turned_deg` of straight."""
        self.patch, self._card_mm, self._reader = patch, card_mm, reader
        self._around_mm, self._reach_mm = around_mm, reach_mm
        self._angles = np.arange(-turned_deg, turned_deg + 1.0, 5.0)
        self._coarse_size, self._coarse = _at_scale(patch, COARSE_PX_PER_MM)
        self._rough_size, self._rough = _at_scale(patch, ROUGH_PX_PER_MM)

    def glance(
        self, picture: Image, changed: Change, near: Sequence[Pose], covered: Top | None = None, *, fill: bool = True
    ) -> Finding | None:
        """Return the best of a few likely cards: one that fills what changed, and those at the poses given.

        `changed`: where the picture differs from the last settled one, which a new card must explain; `covered`: a card
        that does not show any more where it lay; `fill` False: only at the poses given.
        """
        gray = _gray(picture)
        poses = [*(changed.card_poses(self._card_mm) if fill else []), *near]
        answers: list[Finding] = []
        for some in (poses[:1], poses[1:]):
            if answers and answers[0].convinces:
                break
            fits = [self._fit(gray, pose, np.zeros(1), 2.0) for pose in some]
            found = self._best(picture, fits, changed, covered)
            answers += [] if found is None else [found]
        return max(answers, key=lambda one: one.worth, default=None)

    def rough(self, picture: Image, ends: Sequence[Free], near: Pose | None = None) -> dict[Free, list[Fit]]:
        """Return where a whole card may lie, and one of which only an end is free, for `free` and `under_hands`.

        `near`: look only about there, for the next card of a stack. Places where no card was ever read are left out.
        """
        small = _small_gray(picture, self._coarse_size)
        counts: dict[Free, int] = {"whole": MOST_FREE, **dict.fromkeys(ends, MOST_READ_UNDER_HANDS)}
        angles, around, reach = self._angles, self._around_mm, self._reach_mm
        if near is not None:
            angles, around, reach = near.angle_deg + ABOUT_DEG, (near.x_mm, near.y_mm), ABOUT_MM
        fits = fit_free_cards(small, self._coarse, self._card_mm, angles, around, reach, counts)
        least = {"whole": FOUR_SIDES / 2}
        return {end: [fit for fit in some if fit.score > least.get(end, THREE_SIDES)] for end, some in fits.items()}

    def under_hands(
        self, picture: Image, before: Image, rough: Mapping[Free, Sequence[Fit]], near: Finding | None
    ) -> Finding | None:
        """Return the best new card whose player's hand still covers one end of it.

        `before`: the last settled picture, in which it does not lie yet; `rough`: what that method found; `near`: the
        card that was found in the picture before, to look there only.
        """
        found: list[tuple[Fit, Free]] = [(fit, end) for end, fits in rough.items() if end != "whole" for fit in fits]
        least = THREE_SIDES
        if near is not None:
            least = HARDLY_EDGES
            found = [(self._fit(_gray(picture), near.top.pose, np.zeros(1), 2.0, near.free), near.free)]
        grays = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.cvtColor(before, cv2.COLOR_BGR2GRAY)
        new = [
            (fit.score - 0.8 * max(0.0, old), fit, end)
            for fit, end in found
            if fit.score > least and (old := self._alike(*grays, fit.pose, end)) < OLD
        ]
        likely = [one for one in new if one[0] + READ_WORTH > LEAST_WORTH]
        return self._best_read(picture, sorted(likely, key=lambda one: -one[0])[:MOST_READ])

    def free(self, picture: Image, rough: Mapping[Free, Sequence[Fit]]) -> Finding | None:
        """Return a card of which all four sides show, whatever else is near: no hand covers any of it."""
        if not rough["whole"]:
            return None
        gray = _gray(picture)
        fits = [self._fit(gray, fit.pose, NEARLY_DEG, NEARLY_MM) for fit in rough["whole"]]
        likely = [fit for fit in fits if fit.score > FOUR_SIDES]
        found = self._best_read(picture, [(fit.score, fit, "whole") for fit in likely])
        return found if found is not None and found.top.reading.nothing < HARDLY_NOTHING else None

    def alike(self, now: Image, before: Image, pose: Pose, free: Free) -> float:
        """Return how well the free end of a card at `pose` correlates with what was there before, -1 to 1."""
        return self._alike(cv2.cvtColor(now, cv2.COLOR_BGR2GRAY), cv2.cvtColor(before, cv2.COLOR_BGR2GRAY), pose, free)

    def _alike(self, now: NDArray[Any], before: NDArray[Any], pose: Pose, free: Free) -> float:
        """Return the same for gray pictures."""
        width, height = HALF_CARD
        w, h = self._card_mm
        top_left, top_right, _, bottom_left = self.patch.to_patch(pose.quad_mm((w + 4.0, h + 4.0)))
        across, down = top_right - top_left, bottom_left - top_left
        first = top_left if free == "upper" else top_left + down / 2
        corners = np.array([first, first + across, first + across + down / 2], np.float32)
        turn = cv2.getAffineTransform(corners, np.array([(0, 0), (width, 0), (width, height)], np.float32) - 0.5)
        return correlation(*(cv2.warpAffine(one, turn, HALF_CARD) for one in (now, before)))

    def alike_places(self, picture: Image, faces: Sequence[Face]) -> list[tuple[float, Pose, Face]]:
        """Return where the print of each of these cards fits best, and how well it correlates there, -1 to 1.

        Needs no edges: white on white shows none.
        """
        if not faces:
            return []
        prints = self._prints(picture)
        return [(*prints.best_place(self._print_of(face)), face) for face in faces]

    def like(
        self, picture: Image, places: Sequence[tuple[float, Pose, Face]], least: float = LIKE_IT
    ) -> Steps[Finding | None]:
        """Return which of these cards lies where its print fits best, if the reader agrees or it is much alike.

        The best few are read, and the first that is surely it ends that. `least`: the correlation from which a print
        counts at all.
        """
        best, gray = None, _gray(picture)
        for alike, pose, face in sorted(places, key=lambda place: -place[0])[:MOST_LIKE]:
            if alike < least:
                break
            yield
            found = self._alike_at(picture, gray, pose, alike, face)
            best = max((one for one in (best, found) if one is not None), key=lambda one: one.worth, default=None)
            if best is not None and alike > SURELY_IT and best.convinces:
                break
        return best

    def like_half(self, picture: Image, halves: Sequence[tuple[Face, Free]]) -> Finding | None:
        """Return which of these cards a hand covers that leaves this end of it free, by the print of the end.

        Cards of one rank or colour have much the same print: the reader must name it, in two places near.
        """
        prints, gray = self._prints(picture), _gray(picture)
        places = [(*prints.best_place(self._print_of(face), free), face, free) for face, free in halves]
        for alike, pose, face, free in sorted(places, key=lambda place: -place[0])[:MOST_LIKE]:
            if alike < HALF_ALIKE or self._is_beyond(pose):
                continue
            fit = self._fit(gray, pose, NEARLY_DEG, NEARLY_MM, free)
            near = mean_reading([one.reading for one in self._read(picture, [fit.pose, pose])])
            top = self._checked(picture, Top(fit.pose, near))
            if top.shows_same(face.top) and top.sure > BARELY_SURE:
                return Finding(alike + READ_WORTH * top.sure, top, fit.score, free)
        return None

    def most_like(self, picture: Image, face: Face) -> tuple[float, Pose]:
        """Return the best correlation of a known card's print with any place of a picture, -1 to 1, and that place."""
        return self._prints(picture).best_place(self._print_of(face))

    def _prints(self, picture: Image) -> Prints:
        return Prints(_small_gray(picture, self._rough_size), self._rough, self._angles)

    def _is_beyond(self, pose: Pose) -> bool:
        """Whether a card lies too far off to belong here."""
        return max(abs(pose.x_mm - self._around_mm[0]), abs(pose.y_mm - self._around_mm[1])) > self._reach_mm

    def _print_of(self, face: Face) -> Gray:
        """Return the print of a known card, upright and without its rim, at the scale at which it is looked for."""
        w, h = (round(side * self._rough.px_per_mm) for side in self._card_mm)
        upright = rectify(face.picture, face.patch.to_patch(face.top.pose.quad_mm(self._card_mm)))
        inside = upright[CROP_MARGIN:-CROP_MARGIN, CROP_MARGIN:-CROP_MARGIN]
        return np.ascontiguousarray(_small_gray(inside, (w, h))[1:-1, 1:-1])

    def _alike_at(self, picture: Image, gray: Gray, pose: Pose, alike: float, face: Face) -> Finding | None:
        """Return the known card if it lies about there."""
        if self._is_beyond(pose):
            return None
        fit = self._fit(gray, pose, NEARLY_DEG, NEARLY_MM)
        [top] = self._read(picture, [fit.pose])
        if top.sure < SURE_ENOUGH and not (top.shows_same(face.top) and top.sure > BARELY_SURE):
            top = max([top, *self._read(picture, [pose])], key=lambda one: one.sure)
        top = self._checked(picture, top)
        is_it = alike > MUCH_ALIKE or top.shows_same(face.top)
        return Finding(alike + READ_WORTH * top.sure + 0.5, top, fit.score) if is_it else None

    def print_alike(self, now: Image, at: Pose, then: Image, was_at: Pose) -> float:
        """Return how well two cards of two pictures correlate, coarsely and without their rims, -1 to 1."""
        width, height = CROP_SIZE
        small = [
            cv2.resize(self._crop(picture, pose), (width // 2, height // 2))
            for picture, pose in ((now, at), (then, was_at))
        ]
        return correlation(*(cv2.cvtColor(one, cv2.COLOR_BGR2GRAY)[4:-4, 4:-4] for one in small))

    def search(
        self,
        picture: Image,
        changed: Change | None,
        *,
        sideways: bool = False,
        most: int = MOST_READ,
        covered: Top | None = None,
    ) -> Finding | None:
        """Return the best card among the `most` places where four edges say most clearly that one could lie.

        `sideways`: look for one that lies across; `covered`: as for `glance`.
        """
        small = _small_gray(picture, self._coarse_size)
        angles = self._angles + 90.0 if sideways else self._angles
        around, reach = self._around_mm, self._reach_mm
        fits = fit_cards(small, self._coarse, self._card_mm, angles, around, reach, most)
        return self._best(picture, [fit for fit in fits if fit.score > HARDLY_EDGES], changed, covered)

    def by_index(
        self,
        picture: Image,
        before: Image | None = None,
        changed: Change | None = None,
        earlier: Image | None = None,
    ) -> Steps[Finding | None]:
        """Return the card that its indices show most clearly. Needs no edges: white on white shows none.

        `before`: a picture in which its indices did not stand yet; `changed`: where a picture differs from that one;
        `earlier`: one in which it lay under a hand already, which may still cover one end of it.
        """
        marks = self._marks(picture, before, changed)
        marks = marks if earlier is None else [mark for mark in marks if lies_still(mark, picture, earlier)]
        cards = cards_of(marks, self.patch, self._card_mm)[:MOST_READ]
        gray = _gray(picture)
        best: Finding | None = None
        for card in cards:
            if self._is_beyond(card.pose) or (before is None and card.complete < BARE):
                continue
            yield
            free: Free = "whole" if earlier is None else card.free_end(self.patch)
            bare = card.complete if earlier is None else 1.0  # under a hand, face and index must agree
            fit = self._fit(gray, card.pose, ABOUT_DEG, ABOUT_MM, free)
            [top] = self._read(picture, [fit.pose])
            if top.sure < SURE_ENOUGH:
                top = max([top, *self._read(picture, [card.pose])], key=lambda one: one.sure)
            top = replace(top, reading=self._reader.with_indices(top.reading, picture, card.marks, bare))
            edges = max(fit.score, INDEX_EDGES * card.weight)
            found = Finding(self._worth(Fit(top.pose, edges), changed) + READ_WORTH * top.sure, top, edges, free)
            if best is None or found.worth > best.worth:
                best = found
            if top.sure > SURE_ENOUGH:
                break
        return best

    def beside(self, picture: Image, before: Image, top: Top) -> list[Top]:
        """Return the cards of which an index shows beside the one on top, where none stood before: it covers them.

        They are named by that index alone.
        """
        width, height = self._card_mm
        around = top.pose.quad_mm((width + RIM_MM, height + RIM_MM))
        changed = Change.between(picture, before, self.patch).outside(around).biggest()
        if changed.area_mm2 < LEAST_BESIDE_MM2:
            return []
        over = self.patch.to_patch(top.pose.quad_mm(self._card_mm)).astype(np.float32)
        marks = [
            mark
            for mark in self._marks(picture, before, changed)
            if mark.score > CLEAR_INDEX and cv2.pointPolygonTest(over, tuple(mark.centre.tolist()), False) < 0
        ]
        tops = [
            Top(card_of(mark, self.patch, self._card_mm), self._reader.with_indices(UNREAD, picture, [mark], 0.0))
            for mark in marks
        ]
        return [one for one in tops if not self._is_beyond(one.pose)]

    def _marks(self, picture: Image, before: Image | None, changed: Change | None) -> list[Index]:
        """Return the indices in the part of a picture that changed, those that stood there before left out."""
        rows, columns = (slice(None), slice(None)) if changed is None else changed.box(INDEX_ROOM_MM)
        part = picture[rows, columns]
        marks = [mark.moved((columns.start or 0, rows.start or 0)) for mark in self._reader.marks(part)]
        return marks if before is None else [mark for mark in marks if is_new(mark, picture, before)]

    def find(self, picture: Image, may_lie_across: bool) -> Top | None:
        """Return the card on top in a picture that nothing is known about; None if no card shows."""
        found = at_once(self.by_index(picture))
        if found is None or found.top.sure < SURE_ENOUGH:
            edged = self.search(picture, None, most=MOST_READ_AT_FIRST)
            found = max((f for f in (found, edged) if f is not None), key=lambda f: f.worth, default=None)
        if may_lie_across and (found is None or found.top.sure < BARELY_SURE):
            across = self.search(picture, None, sideways=True, most=MOST_READ_AT_FIRST)
            found = max((f for f in (found, across) if f is not None), key=lambda f: f.worth, default=None)
        return None if found is None else self.sharpened(picture, found)

    def sharpened(self, picture: Image, found: Finding) -> Top | None:
        """Return what was found at a better pose, read again if that makes it surer; None if it is no card."""
        return self.refined(picture, self.surer(picture, found))

    def surer(self, picture: Image, found: Finding) -> Finding:
        """Return the same card where it is read most surely: the first half of `sharpened`, if it is not sure yet."""
        if found.top.sure > SURE_ENOUGH or found.top.reading.nothing > NOTHING_THERE:
            return found
        return replace(found, top=self._surest_near(picture, found.top))

    def refined(self, picture: Image, found: Finding, known: bool = False) -> Top | None:
        """Return a card at its exact pose, read again there unless sure or known: the second half of `sharpened`."""
        top = found.top
        unread = top.reading.best[1] < BARELY_READ and top.reading.face_down < BARELY_SURE
        if top.reading.nothing > NOTHING_THERE or (unread and found.edges < LEAST_EDGES):
            return None
        if top.reading.best[1] < BARELY_SURE and self._is_plain(picture, top.pose):
            return None
        pose = self._fit(_gray(picture), top.pose, np.array([-3.0, -1.5, 0.0, 1.5, 3.0]), 3.0, found.free).pose
        if known or top.sure > SURE_ENOUGH:
            return Top(pose, top.reading)
        near = [replace(pose, x_mm=pose.x_mm + dx, y_mm=pose.y_mm + dy) for dx, dy in JITTER_MM]
        again = self._checked(picture, Top(pose, mean_reading([other.reading for other in self._read(picture, near)])))
        if again.reading.nothing > NOTHING_THERE:
            return top
        return again if again.sure >= top.sure or again.shows_same(top) else top

    def again(self, picture: Image, top: Top) -> Reading:
        """Return what a card that lies at a known pose shows in another picture."""
        near = [replace(top.pose, x_mm=top.pose.x_mm + dx, y_mm=top.pose.y_mm + dy) for dx, dy in JITTER_MM]
        mean = mean_reading([one.reading for one in self._read(picture, near)])
        return self._checked(picture, replace(top, reading=mean)).reading

    def _surest_near(self, picture: Image, top: Top) -> Top:
        """Return the same card where it is read most surely, further off along its sides: pips look like sides."""
        small = _small_gray(picture, self._coarse_size)
        turns = top.pose.angle_deg + np.array([-3.0, 0.0, 3.0])
        around = top.pose.x_mm, top.pose.y_mm
        fits = fit_cards(small, self._coarse, self._card_mm, turns, around, FURTHER_MM, MOST_READ)
        same = [one for one in self._read(picture, [fit.pose for fit in fits]) if one.shows_same(top)]
        return max([top, *same], key=lambda one: one.sure)

    def _crop(self, picture: Image, pose: Pose) -> Image:
        """Return the same as `rectify` at less cost: in a patch a card has right angles."""
        corners = self.patch.to_patch(pose.quad_mm(self._card_mm))[:3].astype(np.float32)
        turn = cv2.getAffineTransform(corners, CROP_CORNERS[:3])
        return np.asarray(cv2.warpAffine(picture, turn, CROP_SIZE, flags=cv2.INTER_LINEAR), np.uint8)

    def _is_plain(self, picture: Image, pose: Pose) -> bool:
        """Whether nothing is printed there as on a back: what was taken for one is a printed place or bare table."""
        return plainness(self._crop(picture, pose)) > PLAIN_SHARE

    def _fit(self, gray: Gray, pose: Pose, turns: NDArray[np.float64], slack_mm: float, free: Free = "whole") -> Fit:
        """Return the best rectangle close to a pose."""
        centre = (pose.x_mm, pose.y_mm)
        return fit_cards(gray, self.patch, self._card_mm, pose.angle_deg + turns, centre, slack_mm, 1, free)[0]

    def _read(self, picture: Image, poses: Sequence[Pose]) -> list[Top]:
        crops = np.stack([self._crop(picture, pose) for pose in poses])
        return [Top(pose, reading) for pose, reading in zip(poses, self._reader.read(crops), strict=True)]

    def _best(
        self, picture: Image, fits: Sequence[Fit], changed: Change | None, covered: Top | None = None
    ) -> Finding | None:
        """Return the best answer: edges all round, a clear reading, and all that changed lies inside."""
        return self._best_read(picture, [(self._worth(fit, changed), fit, "whole") for fit in fits], covered)

    def _best_read(
        self, picture: Image, likely: Sequence[tuple[float, Fit, Free]], covered: Top | None = None
    ) -> Finding | None:
        """Return the best answer. `likely`: what each is worth before it is read.

        The likeliest is read first, then those that may still be better than it, all at once.
        """
        best: Finding | None = None
        left = sorted(likely, key=lambda one: -one[0])
        while left:
            now, left = (left[:1], left[1:]) if best is None else (left, [])
            for (worth, fit, free), top in zip(now, self._read(picture, [fit.pose for _, fit, _ in now]), strict=True):
                off = COVERED_OFF if covered is not None and is_same(top, covered) else 0.0
                found = Finding(worth + READ_WORTH * top.sure - off, top, fit.score, free)
                best = found if best is None or found.worth > best.worth else best
            left = [one for one in left if best is None or one[0] + READ_WORTH > best.worth]
        return None if best is None else replace(best, top=self._checked(picture, best.top))

    def _checked(self, picture: Image, top: Top) -> Top:
        """Return a court as its indices name it, too: it has no pips, and each deck draws its courts otherwise."""
        if top.reading.best[0][0] not in COURTS:
            return top
        quad_px = self.patch.to_patch(top.pose.quad_mm(self._card_mm))
        return replace(top, reading=self._reader.checked(top.reading, picture, quad_px))

    def _worth(self, fit: Fit, changed: Change | None) -> float:
        """Return how good an answer this is before it is read."""
        if changed is None:
            return fit.score + 0.5
        return fit.score + changed.share_in(fit.pose.quad_mm(self._card_mm))


def _at_scale(patch: Patch, px_per_mm: float) -> tuple[tuple[int, int], Patch]:
    """Return the size of a patch's picture at another scale, and the patch at it."""
    height, width = patch.picture.shape[:2]
    share = px_per_mm / patch.px_per_mm
    size = round(width * share), round(height * share)
    return size, replace(patch, px_per_mm=patch.px_per_mm * size[0] / width)
