"""Network interfaces and their addresses, where moto's bookkeeping differs from AWS's."""

import copy
import ipaddress

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import elastic_network_interfaces, instances, security_groups, subnets


def free_address(subnet):
    """The lowest address of a subnet that no interface has. AWS keeps the first four and the last for itself."""
    backend = subnet.ec2_backend
    taken = {
        entry["PrivateIpAddress"]
        for interface in backend.enis.values()
        if interface.subnet.id == subnet.id
        for entry in interface.private_ip_addresses
    }
    taken.update(subnet._subnet_ips)
    network = ipaddress.ip_network(subnet.cidr_block)
    for number in range(4, network.num_addresses - 1):
        address = str(network[number])
        if address not in taken:
            return address
    raise EC2ClientError(
        "InsufficientFreeAddressesInSubnet",
        f"There are not enough free addresses in subnet '{subnet.id}' to satisfy the requested number of instances.",
    )


def _with_free_address(create):
    def create_network_interface(self, subnet, private_ip_address, private_ip_addresses=None, *args, **kwargs):
        if isinstance(subnet, str):
            subnet = self.get_subnet(subnet)
        if not private_ip_address and not private_ip_addresses and subnet is not None:
            private_ip_address = free_address(subnet)
        return create(self, subnet, private_ip_address, private_ip_addresses, *args, **kwargs)

    return create_network_interface


def _available_subnet_ip(self, instance):
    address = free_address(self)
    self._subnet_ips[address] = instance
    return address


def _own_interfaces_go_with_the_instance(prepare):
    """An interface that EC2 makes for an instance is deleted with it; one that was given decides the zone and stays."""

    def prep_nics(self, nic_spec, *args, **kwargs):
        given = {nic["NetworkInterfaceId"] for nic in nic_spec if nic.get("NetworkInterfaceId")}
        kept = {int(nic["DeviceIndex"]) for nic in nic_spec if nic.get("DeleteOnTermination") is False}
        for nic in nic_spec:
            if nic.get("NetworkInterfaceId") and int(nic["DeviceIndex"]) == 0:
                subnet = self.ec2_backend.get_network_interface(nic["NetworkInterfaceId"]).subnet
                self._placement.zone = subnet.availability_zone
        prepare(self, nic_spec, *args, **kwargs)
        for index, interface in self.nics.items():
            if interface.id not in given:
                interface.delete_on_termination = index not in kept

    return prep_nics


def _terminate_releases_interfaces(terminate):
    def terminated(self):
        if self._state.name in ("terminated", "shutting-down"):
            return copy.copy(self._state)
        previous = terminate(self)
        for index, interface in list(self.nics.items()):
            # The instance keeps a copy to answer with; the interface itself is free for others.
            self.nics[index] = copy.copy(interface)
            interface.instance = None
            interface.attachment_id = None
            interface.attach_time = None
            interface.status = "available"
            interface.device_index = None
        return previous

    return terminated


def _network_interfaces(self):
    gone = self._state.name in ("terminated", "shutting-down")
    return [] if gone else list(self.nics.values())


def _description(self):
    """moto tells that of a rule for a range of addresses only."""
    return self.ip_range.get("Description") or self.source_group.get("Description")


def apply():
    """Puts the corrections into moto's classes."""
    interfaces = elastic_network_interfaces.NetworkInterfaceBackend
    interfaces.create_network_interface = _with_free_address(interfaces.create_network_interface)
    subnets.Subnet.get_available_subnet_ip = _available_subnet_ip
    instances.Instance.prep_nics = _own_interfaces_go_with_the_instance(instances.Instance.prep_nics)
    instances.Instance.terminate = _terminate_releases_interfaces(instances.Instance.terminate)
    instances.Instance.network_interfaces = property(_network_interfaces)
    security_groups.SecurityGroupRule.description = property(_description)
