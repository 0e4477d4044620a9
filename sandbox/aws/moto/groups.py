"""How auto scaling groups change, where moto is done at once.

Lifecycle hooks hold instances on their way in and out until somebody lets them go on or time is up, and an instance refresh
replaces one instance after another. What takes time goes on at each tick of the front's clock.
"""

import time
import uuid
from datetime import datetime, timezone

from moto.autoscaling import models
from moto.autoscaling.exceptions import AutoscalingClientError, ValidationError
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import ActionResult, EmptyResult

LAUNCHING = "autoscaling:EC2_INSTANCE_LAUNCHING"
TERMINATING = "autoscaling:EC2_INSTANCE_TERMINATING"
# What counts towards the desired capacity.
COUNTED = ("InService", "Pending", "Pending:Wait")
# Warm-up times of instances are not waited for.
HASTE = 10


def _hook(group, transition):
    return next(
        (
            hook
            for hook in group.autoscaling_backend.lifecycle_hooks.values()
            if hook.auto_scaling_group_name == group.name and hook.lifecycle_transition == transition
        ),
        None,
    )


def _wait(state, name, hook):
    state.lifecycle_state = name
    state.waits_until = time.time() + hook.heartbeat_timeout


def _serve(state):
    state.lifecycle_state = "InService"
    state.serves_since = time.time()


def enter(group, state):
    """A new instance: it serves at once, or when the group's hook is completed."""
    template = group.ec2_launch_template
    state.made_from = template.get_version(group.launch_template_version).number if template else 0
    hook = _hook(group, LAUNCHING)
    if hook is None:
        _serve(state)
    else:
        _wait(state, "Pending:Wait", hook)


def _leave(group, state):
    hook = _hook(group, TERMINATING)
    if hook is None:
        _end(group, [state])
    else:
        _wait(state, "Terminating:Wait", hook)


def _end(group, states):
    group.instance_states = [state for state in group.instance_states if state not in states]
    if not states:
        return  # A group that is empty already: moto refuses to terminate nothing.
    group.ec2_backend.terminate_instances([state.instance.id for state in states])


def _proceed(group, state, result):
    """An action is completed: by a call, or because nobody made it in time."""
    if state.lifecycle_state == "Terminating:Wait":
        _end(group, [state])
    elif result == "CONTINUE":
        _serve(state)
    else:
        _end(group, [state])
    group.set_desired_capacity(group.desired_capacity)


def _active_instances(self):
    return [state for state in self.instance_states if state.lifecycle_state in COUNTED]


def _superfluous(states):
    """AWS's choice: the zone with the most, there the oldest template, there the oldest instance."""
    zones = [state.availability_zone for state in states]
    fullest = max(zones, key=zones.count)
    return min((state for state in states if state.availability_zone == fullest), key=lambda state: state.made_from)


def _set_desired_capacity(self, new_capacity):
    self.desired_capacity = self.min_size if new_capacity is None else new_capacity
    counted = self.active_instances()
    missing = (self.desired_capacity or 0) - len(counted)
    if _running(self) is not None:
        # A refresh has one more while it replaces one.
        missing = max(missing, 0) if missing >= -1 else missing
    if missing > 0:
        self.replace_autoscaling_group_instances(missing, self.get_propagated_tags())
    for _ in range(-missing):
        free = [state for state in self.active_instances() if not state.protected_from_scale_in]
        if free:
            _leave(self, _superfluous(free))
    if self.name in self.autoscaling_backend.autoscaling_groups:
        self.autoscaling_backend.update_attached_elbs(self.name)
        self.autoscaling_backend.update_attached_target_groups(self.name)


def _terminate_instance(self, instance_id, should_decrement):
    group, state = _find(self, None, instance_id)
    before = group.desired_capacity
    _leave(group, state)
    group.set_desired_capacity(before - 1 if should_decrement else before)
    return models.TerminateInstanceActivity(state.instance, before)


def _delete_whole(delete):
    def delete_auto_scaling_group(self, group_name):
        group = self.autoscaling_groups.get(group_name)
        if group is not None:
            # Whoever forces it does not wait for hooks.
            group.refreshes = []
            _end(group, list(group.instance_states))
        delete(self, group_name)
        for key, hook in list(self.lifecycle_hooks.items()):
            if hook.auto_scaling_group_name == group_name:
                del self.lifecycle_hooks[key]

    return delete_auto_scaling_group


def _hooks_first(create):
    """The hooks that come with a group are there before its first instance is."""

    def create_auto_scaling_group(self):
        name = self._get_param("AutoScalingGroupName")
        if name in self.autoscaling_backend.autoscaling_groups:
            raise AutoscalingClientError("AlreadyExists", f"AutoScalingGroup by this name already exists - {name}")
        for hook in self._get_params().get("LifecycleHookSpecificationList") or []:
            self.autoscaling_backend.create_lifecycle_hook(
                hook["LifecycleHookName"],
                name,
                hook["LifecycleTransition"],
                hook.get("HeartbeatTimeout"),
                hook.get("DefaultResult"),
            )
        return create(self)

    return create_auto_scaling_group


def _find(backend, group_name, instance_id):
    for group in backend.autoscaling_groups.values():
        for state in group.instance_states:
            if state.instance.id == instance_id and group_name in (None, group.name):
                return group, state
    raise ValidationError(f"Instance Id not found - No managed instance found for instance ID {instance_id}")


def _waiting(response):
    """The instance that a call about a lifecycle action means, if it waits for that very hook."""
    backend = response.autoscaling_backend
    name, instance_id = response._get_param("AutoScalingGroupName"), response._get_param("InstanceId")
    hook = backend.lifecycle_hooks.get(f"{name}_{response._get_param('LifecycleHookName')}")
    group, state = _find(backend, name, instance_id)
    expected = {LAUNCHING: "Pending:Wait", TERMINATING: "Terminating:Wait"}.get(hook and hook.lifecycle_transition)
    if expected is None or state.lifecycle_state != expected:
        raise ValidationError(f"No active Lifecycle Action found with instance ID {instance_id}")
    return group, state, hook


def _complete_lifecycle_action(self):
    group, state, _hook_of_it = _waiting(self)
    _proceed(group, state, self._get_param("LifecycleActionResult"))
    return EmptyResult()


def _record_lifecycle_action_heartbeat(self):
    _group, state, hook = _waiting(self)
    _wait(state, state.lifecycle_state, hook)
    return EmptyResult()


def _running(group):
    return next((one for one in getattr(group, "refreshes", []) if one["Status"] == "InProgress"), None)


def _group(response):
    name = response._get_param("AutoScalingGroupName")
    group = response.autoscaling_backend.autoscaling_groups.get(name)
    if group is None:
        raise ValidationError(f"AutoScalingGroup name not found - AutoScalingGroup '{name}' not found")
    return group


def _start_instance_refresh(self):
    group = _group(self)
    if _running(group) is not None:
        raise AutoscalingClientError(
            "InstanceRefreshInProgress", "An Instance Refresh is already in progress and blocks the execution of this Instance Refresh."
        )
    preferences = self._get_params().get("Preferences") or {}
    template = group.ec2_launch_template
    current = template.get_version(group.launch_template_version).number if template else 0
    skips = preferences.get("SkipMatching")
    refresh = {
        "InstanceRefreshId": str(uuid.uuid4()),
        "AutoScalingGroupName": group.name,
        "Status": "InProgress",
        "StartTime": datetime.now(timezone.utc),
        "PercentageComplete": 0,
        "left": [s.instance.id for s in group.active_instances() if not (skips and s.made_from == current)],
        "before": (preferences.get("MaxHealthyPercentage") or 100) > 100,
        "warm-up": (preferences.get("InstanceWarmup") or 0) / HASTE,
    }
    refresh["all"] = len(refresh["left"])
    group.refreshes = [*getattr(group, "refreshes", []), refresh]
    return ActionResult({"InstanceRefreshId": refresh["InstanceRefreshId"]})


def _cancel_instance_refresh(self):
    group = _group(self)
    refresh = _running(group)
    if refresh is None:
        raise AutoscalingClientError("ActiveInstanceRefreshNotFound", "No in progress or pending Instance Refresh found")
    refresh.update({"Status": "Cancelled", "EndTime": datetime.now(timezone.utc)})
    group.set_desired_capacity(group.desired_capacity)
    return ActionResult({"InstanceRefreshId": refresh["InstanceRefreshId"]})


def _describe_instance_refreshes(self):
    shown = []
    for refresh in reversed(getattr(_group(self), "refreshes", [])):
        known = {key: value for key, value in refresh.items() if key[0].isupper()}
        shown.append({**known, "InstancesToUpdate": len(refresh["left"])})
    return ActionResult({"InstanceRefreshes": shown})


def _advance(group, refresh):
    """One step of a refresh, when everything that counts serves and nothing is on its way out. Says whether it did one."""
    counted = group.active_instances()
    there = {state.instance.id for state in counted}
    refresh["left"] = [one for one in refresh["left"] if one in there]
    refresh["PercentageComplete"] = 100 - int(100 * len(refresh["left"]) / max(refresh["all"], 1))
    serving = [
        state
        for state in counted
        if state.lifecycle_state == "InService"
        and state.instance.state == "running"
        and time.time() - state.serves_since >= refresh["warm-up"]
    ]
    if len(serving) < len(counted) or len(group.instance_states) > len(counted):
        return False
    if not refresh["left"]:
        refresh.update({"Status": "Successful", "EndTime": datetime.now(timezone.utc), "PercentageComplete": 100})
    elif refresh["before"] and len(counted) <= group.desired_capacity:
        group.replace_autoscaling_group_instances(1, group.get_propagated_tags())
    else:
        oldest = refresh["left"][0]
        _leave(group, next(state for state in counted if state.instance.id == oldest))
        group.set_desired_capacity(group.desired_capacity)
    return True


def tick():
    """Lets time pass. Says whether something changed, and whether something still waits for time to pass."""
    changed, busy = False, False
    for account in list(models.autoscaling_backends.values()):
        for backend in list(account.values()):
            for group in list(backend.autoscaling_groups.values()):
                for state in [s for s in group.instance_states if s.lifecycle_state.endswith(":Wait")]:
                    transition = LAUNCHING if state.lifecycle_state.startswith("Pending") else TERMINATING
                    hook = _hook(group, transition)
                    if hook is None or time.time() > state.waits_until:
                        _proceed(group, state, "CONTINUE" if hook is None else hook.default_result)
                        changed = True
                    busy = True
                refresh = _running(group)
                if refresh is not None:
                    busy = True
                    changed = _advance(group, refresh) or changed
    return {"changed": changed, "busy": busy}


def apply():
    """Puts the corrections into moto's classes."""
    group, backend = models.FakeAutoScalingGroup, models.AutoScalingBackend
    group.active_instances = _active_instances
    group.set_desired_capacity = _set_desired_capacity
    backend.terminate_instance = _terminate_instance
    backend.delete_auto_scaling_group = _delete_whole(backend.delete_auto_scaling_group)
    AutoScalingResponse.create_auto_scaling_group = _hooks_first(AutoScalingResponse.create_auto_scaling_group)
    AutoScalingResponse.complete_lifecycle_action = _complete_lifecycle_action
    AutoScalingResponse.record_lifecycle_action_heartbeat = _record_lifecycle_action_heartbeat
    AutoScalingResponse.start_instance_refresh = _start_instance_refresh
    AutoScalingResponse.cancel_instance_refresh = _cancel_instance_refresh
    AutoScalingResponse.describe_instance_refreshes = _describe_instance_refreshes
