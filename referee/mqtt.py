"""What happens at the table for other programs: an MQTT feed with retained state, and Home Assistant's discovery.

Topics, under `spit-referee/TABLE`:

    availability   `online` or `offline`, retained; the broker says offline when the referee is gone
    state          a JSON object, retained: what a scoreboard needs to come in at any time
    verdict        each verdict as the log has it, one JSON object a message

A broker that is away, slow or refuses never makes the referee wait: news is queued, the oldest is dropped, and once the
broker is back it gets the state anew.
"""

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import msgspec

from hardware.pip import PIP
from referee.cards import Card
from referee.errors import DeviceError
from referee.observations import AnyObservation
from referee.replay.words import player_names, verdict_sentence
from referee.settings import Settings
from referee.table import PILES, Pile, Player
from referee.verdicts import (
    AnyVerdict,
    Award,
    Corrected,
    DealOver,
    GameOver,
    NextDeal,
    PhaseChanged,
    PlayJudged,
    RowJudged,
    SlapJudged,
    SpitJudged,
)

if TYPE_CHECKING:
    from paho.mqtt.client import Client

QUEUED: Final = 200
"""Messages kept for a broker that is away."""
KEEP_ALIVE_S: Final = 30
AT_LEAST_ONCE: Final = 1

SENSORS: Final[Mapping[str, tuple[str, str]]] = {
    "phase": ("Phase", "mdi:cards-playing-outline"),
    "deal": ("Deal", "mdi:counter"),
    "last": ("Last call", "mdi:gavel"),
    "slap": ("Last slap", "mdi:hand-back-right"),
    "winner": ("Winner", "mdi:trophy"),
}
"""What Home Assistant is offered: keys of the state with a name and an icon."""


class TableState(msgspec.Struct):
    """What a scoreboard shows. Nothing here tells how many cards lie anywhere, or what could be played."""

    game: str = ""
    players: dict[Player, str] = {}
    phase: str = "idle"
    deal: int = 0
    tops: dict[Pile, Card | None] = {}
    last: str = ""
    """The last thing that was said, as a sentence."""
    illegal: dict[Player, int] = {}
    """Illegal cards of each player in this game, as announced."""
    slap: str = ""
    winner: str = ""


class MqttFeed:
    """A follower of games that tells a broker, in a `with` block."""

    def __init__(self, settings: Settings) -> None:
        """Raises DeviceError if the library for it is not installed."""
        try:
            from paho.mqtt.client import Client
            from paho.mqtt.enums import CallbackAPIVersion
        except ImportError as error:
            need = f"the MQTT feed needs a package: `{PIP} install 'paho-mqtt>=2.0'`"
            raise DeviceError(f"{need}, or set mqtt.enabled = false") from error
        mqtt = self._settings = settings.mqtt
        self._base = f"spit-referee/{mqtt.table}"
        self.state = TableState()
        given: dict[Player, str] = {"p1": settings.players.p1, "p2": settings.players.p2}
        self._names = player_names({player: name for player, name in given.items() if name != player})
        client = self._client = Client(CallbackAPIVersion.VERSION2, client_id=f"spit-referee-{mqtt.table}")
        client.max_queued_messages_set(QUEUED)
        client.will_set(f"{self._base}/availability", "offline", AT_LEAST_ONCE, retain=True)
        client.on_connect = self._connected
        if mqtt.username:
            client.username_pw_set(mqtt.username, mqtt.password or None)
        if mqtt.tls:
            client.tls_set()

    def __enter__(self) -> Self:
        self._client.connect_async(self._settings.host, self._settings.port, KEEP_ALIVE_S)
        self._client.loop_start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._client.is_connected():
            goodbye = self._client.publish(f"{self._base}/availability", "offline", AT_LEAST_ONCE, retain=True)
            goodbye.wait_for_publish(2)
        self._client.disconnect()
        self._client.loop_stop()

    def opens(
        self, mode: Literal["play", "set_up"], rig: object, queue: object, lights: object, game: str = ""
    ) -> None:
        """A game begins."""
        self.state = TableState(
            game=game,
            players=dict(self._names),
            phase="starting",
            deal=1,
            tops=dict.fromkeys(PILES),
            illegal=dict.fromkeys(self._names, 0),
        )
        self._tell_state()

    def closes(self) -> None:
        """No game runs any more; the last one stays to be seen."""
        self.state.phase = "idle"
        self._tell_state()

    def left(self) -> list[AnyObservation]:
        """Nobody says anything here."""
        return []

    def saw(self, seen: AnyObservation) -> None:
        """What sensors see stays at the table."""

    def tell(self, verdict: AnyVerdict) -> None:
        """Send a verdict, and the state if it has changed."""
        self._client.publish(f"{self._base}/verdict", msgspec.json.encode(verdict))
        self._take(verdict)
        self._tell_state()

    def _take(self, verdict: AnyVerdict) -> None:
        state = self.state
        match verdict:
            case PhaseChanged():
                state.phase = verdict.phase
                return
            case SlapJudged(ruling="legal" | "ignored") | RowJudged(ruling="legal"):
                return
            case PlayJudged() | SpitJudged():
                self._take_card(verdict)
            case NextDeal():
                state.deal, state.tops = state.deal + (not verdict.revised), dict.fromkeys(PILES)
            case Award():
                state.slap = verdict_sentence(verdict, self._names)
            case DealOver():
                state.slap = ""
            case GameOver():
                state.winner = "draw" if verdict.winner == "draw" else self._names[verdict.winner]
        if not verdict.revised or isinstance(verdict, Corrected):
            state.last = verdict_sentence(verdict, self._names)

    def _take_card(self, verdict: PlayJudged | SpitJudged) -> None:
        if verdict.revised:
            return  # an old card: what lies there now is told by the next one
        if verdict.ruling == "legal":
            self.state.tops[verdict.pile] = verdict.card
        elif verdict.ruling == "illegal" and verdict.player != "unknown":
            self.state.illegal[verdict.player] = self.state.illegal.get(verdict.player, 0) + 1

    def _tell_state(self) -> None:
        self._client.publish(f"{self._base}/state", msgspec.json.encode(self.state), AT_LEAST_ONCE, retain=True)

    def _connected(self, client: "Client", userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        """The broker is there (again): it may have forgotten everything."""
        if reason.is_failure:
            return
        client.publish(f"{self._base}/availability", "online", AT_LEAST_ONCE, retain=True)
        self._tell_state()
        for topic, config in self._discovery():
            client.publish(topic, msgspec.json.encode(config), AT_LEAST_ONCE, retain=True)

    def _discovery(self) -> list[tuple[str, dict[str, Any]]]:
        """What Home Assistant reads to show the table as a device."""
        prefix, table = self._settings.discovery_prefix, self._settings.table
        if not prefix:
            return []
        device = {"identifiers": [f"spit-referee-{table}"], "name": f"Spit table {table}", "model": "spit-referee"}
        return [
            (
                f"{prefix}/sensor/spit-referee-{table}/{key}/config",
                {
                    "name": name,
                    "unique_id": f"spit-referee-{table}-{key}",
                    "state_topic": f"{self._base}/state",
                    "value_template": f"{{{{ value_json.{key} | string | truncate(250) }}}}",
                    "availability_topic": f"{self._base}/availability",
                    "icon": icon,
                    "device": device,
                },
            )
            for key, (name, icon) in SENSORS.items()
        ]
