"""NAT gateways: they fail in a network without an internet gateway, and let go of what they had when they fail or are deleted."""

from moto.ec2.models import nat_gateways


def _release(backend, gateway):
    """moto leaves the interface and the public address of a NAT gateway in use: a subnet that can never be deleted, and an
    address that can never be released."""
    for address in backend.describe_addresses():
        if address.eni is gateway._eni:
            backend.disassociate_address(association_id=address.association_id)
    backend.enis.pop(gateway._eni.id, None)


def _is_attached(backend, vpc_id):
    return any(gateway.vpc is not None and gateway.vpc.id == vpc_id for gateway in backend.internet_gateways.values())


def _may_fail(create):
    """AWS takes the call, and says later what became of it."""

    def create_nat_gateway(self, *args, **kwargs):
        gateway = create(self, *args, **kwargs)
        if gateway.connectivity_type != "private" and not _is_attached(self, gateway.vpc_id):
            _release(self, gateway)
            gateway.state = "failed"
            gateway.failure_code = "Gateway.NotAttached"
            gateway.failure_message = f"Network {gateway.vpc_id} has no Internet gateway attached"
        return gateway

    return create_nat_gateway


def _whole_deletion(delete):
    def delete_nat_gateway(self, nat_gateway_id):
        gateway = delete(self, nat_gateway_id)
        _release(self, gateway)
        return gateway

    return delete_nat_gateway


def apply():
    """Puts the corrections into moto's classes."""
    # moto takes any private address; without one the interface gets a free one of its subnet.
    nat_gateways.random_private_ip = lambda: None
    backend = nat_gateways.NatGatewayBackend
    backend.create_nat_gateway = _may_fail(backend.create_nat_gateway)
    backend.delete_nat_gateway = _whole_deletion(backend.delete_nat_gateway)
