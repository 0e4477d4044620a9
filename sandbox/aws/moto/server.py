"""moto as the sandbox runs it: one request at a time, with a snapshot on demand and a control API.

The HTTP front end (TypeScript) is the only client: of AWS's API, and of the control API under /_fleetwright.
"""

import argparse
import json
import threading

from moto.core.types import Base64EncodedString
from moto.ec2.models import ec2_backends
from moto.elbv2.models import elbv2_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple

import addresses
import balancers
import gateways
import groups
import interfaces
import launches
import pages
import policies
import snapshot
import timing
import volumes
import zones


class ControlApi:
    """What the HTTP front end may ask beyond AWS's API."""

    def __init__(self, snapshot_file):
        self.snapshot_file = snapshot_file
        self.turn = threading.Lock()
        self.writing = threading.Lock()
        self.asked = 0
        self.written = 0

    def commit(self, _body):
        """Returns when everything that was done before the call is on disk; calls that wait together share a write."""
        if self.snapshot_file is None:
            return {}
        with self.turn:
            self.asked += 1
            mine = self.asked
        with self.writing:
            if self.written >= mine:
                return {}
            with self.turn:
                covers = self.asked
                data = snapshot.dump()
            snapshot.write(self.snapshot_file, data)
            self.written = covers
        return {"bytes": len(data)}

    def delays(self, body):
        unknown = set(body) - set(timing.delays)
        if unknown:
            raise ValueError(f"unknown delays: {sorted(unknown)}")
        with self.turn:
            timing.delays.update(body)
        return timing.delays

    def instance_state(self, body):
        """A machine that ended by itself: the instance is stopped without a call of StopInstances."""
        with self.turn:
            instance = ec2_backends[body["account"]][body["region"]].get_instance(body["instanceId"])
            if body["state"] == "stopped" and instance.state in ("running", "pending"):
                instance.stop()
            elif body["state"] == "running" and instance.state in ("stopped", "stopping"):
                instance.start()
        return {"state": instance._state.__dict__["name"]}

    def machines(self, _body):
        """From now on an instance is stopped when its machine is said to have ended."""
        timing.machines["behind"] = True
        return {}

    def machine_ended(self, body):
        """The machine of an instance that is stopping has switched itself off."""
        with self.turn:
            state = ec2_backends[body["account"]][body["region"]].get_instance(body["instanceId"])._state
            state.__dict__["machine ended"] = True
        return {}

    def attachment_state(self, body):
        """A volume that its machine has still mounted is busy when it is to be detached."""
        with self.turn:
            attachment = ec2_backends[body["account"]][body["region"]].get_volume(body["volumeId"]).attachment
            if attachment is not None:
                attachment.status = body["state"]
        return {}

    def target_health(self, body):
        """What the sandbox's load balancer found about a target."""
        with self.turn:
            backend = elbv2_backends[body["account"]][body["region"]]
            found = (body["state"], body.get("reason"), body.get("description"))
            balancers.set_target_health(backend, body["targetGroupArn"], body["id"], body.get("port"), *found)
        return {}

    def tick(self, _body):
        """Time passes for auto scaling groups."""
        with self.turn:
            return groups.tick()

    def secrets(self, body):
        """What every instance got at its start, and the key material of every key pair, in one answer."""
        with self.turn:
            backend = ec2_backends[body["account"]][body["region"]]
            keys = {name: pair.material_public for name, pair in backend.key_pairs.items()}
            return {
                "instances": {instance.id: plain(instance.user_data) for instance in backend.all_instances()},
                "keys": {name: plain(material) for name, material in keys.items()},
            }

    def __call__(self, name, body):
        return {
            "commit": self.commit,
            "delays": self.delays,
            "instance-state": self.instance_state,
            "machines": self.machines,
            "machine-ended": self.machine_ended,
            "attachment-state": self.attachment_state,
            "target-health": self.target_health,
            "tick": self.tick,
            "secrets": self.secrets,
        }[name](body)


def plain(value):
    """moto keeps user data as given, as bytes or in a type of its own, depending on how it came in."""
    if isinstance(value, Base64EncodedString):
        value = value.as_bytes()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


class Server:
    """Handles one request at a time, so that a snapshot never sees half a change."""

    def __init__(self, moto_app, control):
        self.moto_app = moto_app
        self.control = control

    def __call__(self, environ, start_response):
        path = environ.get("PATH_INFO", "")
        if path.startswith("/_fleetwright/"):
            length = int(environ.get("CONTENT_LENGTH") or 0)
            body = json.loads(environ["wsgi.input"].read(length) or b"{}")
            answer = json.dumps(self.control(path.removeprefix("/_fleetwright/"), body)).encode()
            start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))])
            return [answer]
        with self.control.turn:
            chunks = self.moto_app(environ, start_response)
            try:
                return [b"".join(chunks)]
            finally:
                if hasattr(chunks, "close"):
                    chunks.close()


class QuietHandler(MotoRequestHandler):
    # Connections stay open between calls.
    protocol_version = "HTTP/1.1"

    def log_request(self, *_args):
        """The HTTP front end keeps the ledger; a second list of calls would only hold what must not be written down."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--snapshot", help="where the state is kept; without it nothing is")
    parser.add_argument("--partition", default="aws", help="whose own policies there are")
    arguments = parser.parse_args()
    policies.apply(arguments.partition)
    for part in (zones, addresses, gateways, interfaces, volumes, launches, pages, groups, balancers, timing):
        part.apply()
    if arguments.snapshot is not None:
        snapshot.load(arguments.snapshot)
    server = Server(DomainDispatcherApplication(create_backend_app), ControlApi(arguments.snapshot))
    run_simple("127.0.0.1", arguments.port, server, threaded=True, request_handler=QuietHandler)


if __name__ == "__main__":
    main()
