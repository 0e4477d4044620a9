"""Things take time: what moto finishes at once passes through the states that AWS shows on the way.

A state is stored as moto sets it, together with the time. Whoever reads it before the delay is over sees the passing
state, and so do moto's own filters and checks.
"""

import time

from moto.ec2.models import elastic_block_store, instances, nat_gateways
from moto.eks import models as eks
from moto.elbv2 import models as elbv2

# Seconds; the server's caller sets them.
delays = {"instance": 0.0, "stop": 0.0, "volume": 0.0, "attachment": 0.0, "gateway": 0.0, "balancer": 0.0, "cluster": 0.0, "nodegroup": 0.0}

# Whether machines stand behind the instances: then one is stopped when its machine has ended, and not by the clock.
machines = {"behind": False}


class Settling:
    """An attribute whose value shows as `passing[value]` until the delay is over."""

    def __init__(self, name, delay, passing):
        self.name = name
        self.delay = delay
        self.passing = passing

    def __get__(self, owner, _kind=None):
        if owner is None:
            return self
        value = owner.__dict__[self.name]
        since = owner.__dict__.get(f"{self.name} since", 0.0)
        between = self.passing.get(value)
        return between if between is not None and time.time() - since < delays[self.delay] else value

    def __set__(self, owner, value):
        if owner.__dict__.get(self.name) != value:
            owner.__dict__[f"{self.name} since"] = time.time()
        owner.__dict__[self.name] = value


class UntilEnded(Settling):
    """A state of an instance that is reached when its machine has switched itself off."""

    def __init__(self, name, delay, passing, rest, before):
        super().__init__(name, delay, passing)
        self.rest = rest
        self.before = before

    def __get__(self, owner, kind=None):
        if owner is None or owner.__dict__[self.name] != self.rest:
            return super().__get__(owner, kind)
        if machines["behind"]:
            return self.rest if owner.__dict__.get("machine ended") else self.before
        young = time.time() - owner.__dict__.get(f"{self.name} since", 0.0) < delays["stop"]
        return self.before if young else self.rest

    def __set__(self, owner, value):
        if owner.__dict__.get(self.name) != value:
            owner.__dict__["machine ended"] = False
        super().__set__(owner, value)


class SettlingState(instances.InstanceState):
    """The state of an instance: pending before running, stopping before stopped, shutting-down before terminated."""

    name = UntilEnded("name", "instance", {"running": "pending", "terminated": "shutting-down"}, "stopped", "stopping")
    code = UntilEnded("code", "instance", {16: 0, 48: 32}, 80, 64)


def _volume_status(volume):
    if volume.attachment:
        return "in-use"
    young = time.time() - volume.__dict__.get("made at", 0.0) < delays["volume"]
    return "creating" if young else "available"


def _timed_volume(init):
    def made(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.__dict__["made at"] = time.time()

    return made


def apply():
    """Puts the delays into moto's classes; before any object is made or read back."""
    instances.InstanceState = SettlingState
    elastic_block_store.Volume.__init__ = _timed_volume(elastic_block_store.Volume.__init__)
    elastic_block_store.Volume.status = property(_volume_status)
    elastic_block_store.VolumeAttachment.status = Settling("status", "attachment", {"attached": "attaching"})
    nat_gateways.NatGateway.state = Settling("state", "gateway", {"available": "pending", "failed": "pending"})
    # moto activates a balancer when it is first read; the attribute keeps the time of that.
    elbv2.FakeLoadBalancer.state = Settling("state", "balancer", {"active": "provisioning"})
    eks.Cluster.status = Settling("status", "cluster", {"ACTIVE": "CREATING"})
    eks.Nodegroup.status = Settling("status", "nodegroup", {"ACTIVE": "CREATING"})
