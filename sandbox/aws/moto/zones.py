"""Zones that moto does not know: Local Zones, outside the region's own, that an account opts in to; and Beijing's third."""

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
from moto.ec2.responses.availability_zones_and_regions import AvailabilityZonesAndRegions
from moto.core.responses import ActionResult

# Region: group, id and parent of each of its Local Zones; the account of the sandbox opted in to the first of a region.
LOCAL_ZONES = {
    "eu-central-1": (("eu-central-1-ham-1", "euc1-ham1-az1", "c"), ("eu-central-1-waw-1", "euc1-waw1-az1", "a")),
    "us-east-1": (("us-east-1-atl-2", "use1-atl2-az1", "d"), ("us-east-1-bos-1", "use1-bos1-az1", "d")),
    "us-west-2": (("us-west-2-den-1", "usw2-den1-az1", "a"), ("us-west-2-lax-1", "usw2-lax1-az1", "b")),
}
OWN = "availability-zone"

# Region: names and ids of its own zones that moto leaves out. Beijing has an a, a b and a d.
OWN_ZONES = {"cn-north-1": (("cn-north-1d", "cnn1-az4"),)}


def opted_in(backend):
    """The groups of Local Zones that the account uses in a region."""
    first = [groups[0][0] for groups in (LOCAL_ZONES.get(backend.region_name),) if groups]
    return backend.__dict__.setdefault("opted in zone groups", set(first))


def _local_zones(region):
    return [_local_zone(region, *zone) for zone in LOCAL_ZONES.get(region, ())]


def _local_zone(region, group, zone_id, parent):
    zone = Zone(name=f"{group}a", region_name=region, zone_id=zone_id, zone_type="local-zone")
    zone.group, zone.parent = group, f"{region}{parent}"
    return zone


def _described(backend, zone):
    """A zone as AWS describes it."""
    is_local = zone.zone_type != OWN
    group = zone.group if is_local else f"{zone.region_name}-zg-1"
    usage = ("opted-in" if group in opted_in(backend) else "not-opted-in") if is_local else "opt-in-not-required"
    parent = next((other for other in _all(backend) if is_local and other.name == zone.parent), None)
    return {
        "ZoneName": zone.name,
        "ZoneId": zone.zone_id,
        "ZoneType": zone.zone_type,
        "RegionName": zone.region_name,
        "GroupName": group,
        "NetworkBorderGroup": group if is_local else zone.region_name,
        "OptInStatus": usage,
        "State": zone.state,
        "Messages": [],
        **({"ParentZoneName": parent.name, "ParentZoneId": parent.zone_id} if parent else {}),
    }


def _all(backend):
    return backend.zones.get(backend.region_name, [])


# The filters that the API reference names, by what they look at.
FILTERS = {
    "group-name": "GroupName",
    "opt-in-status": "OptInStatus",
    "parent-zone-id": "ParentZoneId",
    "parent-zone-name": "ParentZoneName",
    "region-name": "RegionName",
    "state": "State",
    "zone-id": "ZoneId",
    "zone-name": "ZoneName",
    "zone-type": "ZoneType",
}


def _matches(zone, filters):
    for name, values in (filters or {}).items():
        if name not in FILTERS:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")
        if zone.get(FILTERS[name]) not in values:
            return False
    return True


def _describe(self):
    """Zones by name; those that the account did not opt in to only where all are asked for."""
    self.error_on_dryrun()
    every = self._get_bool_param("AllAvailabilityZones", False)
    names, ids = self._get_param("ZoneNames", []), self._get_param("ZoneIds", [])
    filters = self._filters_from_querystring()
    described = sorted((_described(self.ec2_backend, zone) for zone in _all(self.ec2_backend)), key=lambda z: z["ZoneName"])
    shown = [zone for zone in described if every or zone["OptInStatus"] != "not-opted-in"]
    for key, asked in (("ZoneName", names), ("ZoneId", ids)):
        unknown = [value for value in asked if value not in [zone[key] for zone in shown]]
        if unknown:
            raise EC2ClientError("InvalidParameterValue", f"Invalid availability zone: [{', '.join(unknown)}]")
        shown = [zone for zone in shown if not asked or zone[key] in asked]
    return ActionResult({"AvailabilityZones": [zone for zone in shown if _matches(zone, filters)]})


def _opt_in(self):
    """An account opts in to a group by itself; out of it only through AWS's support."""
    group, status = self._get_param("GroupName"), self._get_param("OptInStatus")
    if group not in [known for known, _id, _parent in LOCAL_ZONES.get(self.ec2_backend.region_name, ())]:
        raise EC2ClientError("InvalidParameterValue", f"Invalid availability zone group: [{group}]")
    if status != "opted-in":
        raise EC2ClientError(
            "OptInStatusNotSupported", "Opting out of Local Zones is not supported. Contact AWS Support for assistance."
        )
    opted_in(self.ec2_backend).add(group)
    return ActionResult({"Return": True})


def _own_zones(describe):
    """What moto itself asks: the zones of the region, in which default subnets and machines without a place go."""

    def describe_availability_zones(self, *args, **kwargs):
        return [zone for zone in describe(self, *args, **kwargs) if zone.zone_type == OWN]

    return describe_availability_zones


def _zone_by_name(self, name):
    usable = [zone for zone in _all(self) if zone.zone_type == OWN or zone.group in opted_in(self)]
    return next((zone for zone in usable if zone.name == name), None)


def apply():
    """Puts the zones into moto's classes; before any backend is made."""
    for region, zones in RegionsAndZonesBackend.zones.items():
        known = [zone.name for zone in zones]
        own = [(name, zone_id) for name, zone_id in OWN_ZONES.get(region, ()) if name not in known]
        zones.extend(Zone(name=name, region_name=region, zone_id=zone_id) for name, zone_id in own)
        zones.extend(_local_zones(region))
    model = RegionsAndZonesBackend
    model.describe_availability_zones = _own_zones(model.describe_availability_zones)
    model.get_zone_by_name = _zone_by_name
    AvailabilityZonesAndRegions.describe_availability_zones = _describe
    AvailabilityZonesAndRegions.modify_availability_zone_group = _opt_in
