"""The MQTT feed against a real broker: retained state, discovery, a broker that comes late or goes, no waiting."""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_tracker_properties import deal

from referee.errors import DeviceError
from referee.mqtt import SENSORS, MqttFeed
from referee.observations import Correction
from referee.rules.rule_set import RuleSet
from referee.session import Session
from referee.settings import MqttSection, PlayersSection, Settings
from referee.tracker import Tracker
from referee.verdicts import GameOver

pytestmark = pytest.mark.broker
NAMES = {"p1": "Ann", "p2": "Bob"}


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


class Broker:
    """A Mosquitto of its own on this machine."""

    def __init__(self, folder: Path, port: int, program: str) -> None:
        self.port, self._program = port, program
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._running = subprocess.Popen([self._program, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        wait_for(lambda: self._answers())

    def stop(self) -> None:
        if self._running is not None:
            self._running.terminate()
            self._running.wait(10)

    def _answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0


def wait_for(is_so: Any, seconds: float = 15.0) -> None:
    end_s = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end_s, "it did not come in time"
        time.sleep(0.02)


class Scoreboard:
    """Another program that listens to everything."""

    def __init__(self, port: int) -> None:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        self.heard: list[tuple[str, bytes, bool]] = []
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self._client.on_message = lambda client, userdata, m: self.heard.append((m.topic, m.payload, m.retain))
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def last(self, topic: str) -> Any:
        return next((payload for heard, payload, _ in reversed(self.heard) if heard == topic), None)

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.last("spit-referee/kitchen/state") or "{}")

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def broker(tmp_path: Path, mosquitto: str) -> Iterator[Broker]:
    broker = Broker(tmp_path, free_port(), mosquitto)
    broker.start()
    yield broker
    broker.stop()


def settings(port: int) -> Settings:
    mqtt = MqttSection(enabled=True, host="127.0.0.1", port=port, table="kitchen")
    return Settings(players=PlayersSection(p1="Ann", p2="Bob"), mqtt=mqtt)


def play(feed: MqttFeed, seed: int = 3) -> Tracker:
    tracker = Tracker(RuleSet())
    feed.opens("play", None, None, None, "2026-11-30-0001-abcd")
    session = Session(tracker, None, [feed])
    for seen in deal(seed):
        session.take(seen)
    return tracker


def test_a_scoreboard_that_comes_late_knows_the_table(broker: Broker) -> None:
    with MqttFeed(settings(broker.port)) as feed:
        wait_for(feed._client.is_connected)
        play(feed)
        late = Scoreboard(broker.port)
        wait_for(lambda: late.state.get("phase") == feed.state.phase and late.state.get("last") == feed.state.last)
        assert late.state["players"] == NAMES
        assert late.state["last"]
        assert late.last("spit-referee/kitchen/availability") == b"online"
        assert next(retained for topic, _, retained in late.heard if topic.endswith("/state"))
        late.close()


def test_every_verdict_is_told_as_the_log_has_it_and_nothing_says_how_many_cards_lie_there(broker: Broker) -> None:
    board = Scoreboard(broker.port)
    with MqttFeed(settings(broker.port)) as feed:
        wait_for(feed._client.is_connected)
        play(feed)
        wait_for(lambda: board.state.get("last") == feed.state.last)
        verdicts = [json.loads(p) for topic, p, _ in board.heard if topic == "spit-referee/kitchen/verdict"]
        assert {"play_judged", "spit_judged", "phase_changed"} <= {one["kind"] for one in verdicts}
    assert not any(word in str(board.state) for word in ("count", "size", "row"))
    wait_for(lambda: board.last("spit-referee/kitchen/availability") == b"offline")
    board.close()


def test_home_assistant_finds_the_table_as_a_device(broker: Broker) -> None:
    with MqttFeed(settings(broker.port)):
        board = Scoreboard(broker.port)
        topics = [f"homeassistant/sensor/spit-referee-kitchen/{key}/config" for key in SENSORS]
        wait_for(lambda: all(board.last(topic) for topic in topics))
        configs = [json.loads(board.last(topic)) for topic in topics]
        assert len({config["unique_id"] for config in configs}) == len(SENSORS)
        for config, key in zip(configs, SENSORS, strict=True):
            assert config["state_topic"] == "spit-referee/kitchen/state"
            assert f"value_json.{key}" in config["value_template"]
            assert config["device"]["identifiers"] == ["spit-referee-kitchen"]
        board.close()


def test_a_broker_that_goes_and_comes_back_gets_the_state_anew(broker: Broker) -> None:
    with MqttFeed(settings(broker.port)) as feed:
        feed._client.reconnect_delay_set(1, 1)
        wait_for(feed._client.is_connected)
        play(feed)
        broker.stop()
        feed.tell(GameOver(at_ns=1, winner="p2"))
        broker.start()
        board = Scoreboard(broker.port)
        wait_for(lambda: board.state.get("winner") == "Bob", 30)
        board.close()


def test_without_a_broker_the_referee_waits_for_nobody() -> None:
    with MqttFeed(settings(free_port())) as feed:
        began_s = time.process_time()
        play(feed)
        assert time.process_time() - began_s < 20
        assert feed._client.is_connected() is False


def test_a_referee_that_dies_is_called_offline_by_the_broker(broker: Broker) -> None:
    program = (
        "import os, time\n"
        "from referee.mqtt import MqttFeed\nfrom referee.settings import MqttSection, Settings\n"
        f"feed = MqttFeed(Settings(mqtt=MqttSection(host='127.0.0.1', port={broker.port}, table='kitchen')))\n"
        "feed.__enter__()\n"
        "while not feed._client.is_connected(): time.sleep(0.01)\n"
        "time.sleep(0.5)\nos._exit(9)\n"
    )
    board = Scoreboard(broker.port)
    subprocess.run([sys.executable, "-c", program], timeout=60)
    wait_for(lambda: board.last("spit-referee/kitchen/availability") == b"offline")
    board.close()


def test_corrections_change_the_state_without_counting_twice(broker: Broker) -> None:
    with MqttFeed(settings(broker.port)) as feed:
        tracker = play(feed)
        before = dict(feed.state.illegal)
        for verdict in tracker.feed(Correction(at_ns=10**12, of=0, dismiss=True)):
            feed.tell(verdict)
        assert feed.state.illegal == before


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    with pytest.raises(DeviceError, match=rf"{re.escape(sys.executable)} -m pip install 'paho-mqtt"):
        MqttFeed(settings(1))
