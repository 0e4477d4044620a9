"""Load balancers: their kind in the ARN, an interface of their own in each subnet, and the health that was found."""

from moto.elbv2 import models as elbv2

import addresses

# Filled by the sandbox's load balancers through the control API: (target group, target, port) -> (state, reason, description).
_KNOWN = "found health"


def _with_interfaces(create):
    def create_load_balancer(self, name, security_groups, subnet_ids, subnet_mappings=None, *args, **kwargs):
        kind = "net" if kwargs.get("loadbalancer_type") == "network" else "app"
        original = elbv2.make_arn_for_load_balancer
        elbv2.make_arn_for_load_balancer = lambda **parts: original(**parts).replace(
            ":loadbalancer/app/", f":loadbalancer/{kind}/"
        )
        try:
            balancer = create(self, name, security_groups, subnet_ids, subnet_mappings, *args, **kwargs)
        finally:
            elbv2.make_arn_for_load_balancer = original
        wanted = {mapping["SubnetId"]: mapping.get("PrivateIPv4Address") for mapping in subnet_mappings or []}
        short = balancer.arn.split(":loadbalancer/")[1]
        for subnet in balancer.subnets:
            interface = self.ec2_backend.create_network_interface(
                subnet, wanted.get(subnet.id), group_ids=security_groups, description=f"ELB {short}"
            )
            interface.status = "in-use"
            interface.requester_managed = True
            interface.interface_type = "network_load_balancer" if kind == "net" else "interface"
            if balancer.scheme == "internet-facing":
                interface.public_ip = addresses.free_public_address()
        return balancer

    return create_load_balancer


def _without_interfaces(delete):
    def delete_load_balancer(self, arn):
        if arn in self.load_balancers:
            description = f"ELB {arn.split(':loadbalancer/')[1]}"
            for interface in list(self.ec2_backend.enis.values()):
                if interface.description == description and interface.requester_managed:
                    interface.delete()
        delete(self, arn)

    return delete_load_balancer


def _found_health(ask):
    """A registered target is what the checks found; before the first check it is `healthy` (on AWS: `initial`)."""

    def health_for(self, target, ec2_backend):
        answer = ask(self, target, ec2_backend)
        known = self.__dict__.get(_KNOWN, {})
        found = known.get(f"{answer.instance_id}:{answer.port}")
        if answer.status == "healthy" and found is not None:
            return elbv2.FakeHealthStatus(answer.instance_id, answer.port, answer.health_check_port, *found)
        return answer

    return health_for


def set_target_health(backend, group_arn, target, port, state, reason, description):
    """Remembers what a check found, until the next one."""
    group = backend.target_groups[group_arn]
    port = str(port if port is not None else group.port)
    group.__dict__.setdefault(_KNOWN, {})[f"{target}:{port}"] = (state, reason, description)


def apply():
    """Puts the corrections into moto's classes."""
    backend = elbv2.ELBv2Backend
    backend.create_load_balancer = _with_interfaces(backend.create_load_balancer)
    backend.delete_load_balancer = _without_interfaces(backend.delete_load_balancer)
    elbv2.FakeTargetGroup.health_for = _found_health(elbv2.FakeTargetGroup.health_for)
