import type { Action } from "@aws-sdk/client-elastic-load-balancing-v2";
import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { chosen, identifies, updates } from "../core/property";
import { tagList } from "../core/tags";
import { elbTagging, elbTags } from "./load-balancer";

type Actions = Plain<aws.lb.ListenerArgs>["defaultActions"];

/** A port of a load balancer. */
export const listener = declare<aws.lb.ListenerArgs, aws.lb.ListenerState>({
  token: "aws:lb/listener:Listener",
  properties: {
    alpnPolicy: updates,
    certificateArn: updates,
    defaultActions: { required: true },
    loadBalancerArn: identifies,
    port: updates,
    protocol: chosen,
    sslPolicy: chosen,
    tcpIdleTimeoutSeconds: chosen,
  },
  tagging: elbTagging,
  async create(context, inputs) {
    const elb = await context.aws.elb();
    const { Listeners } = await elb.createListener({
      ...settings(inputs),
      LoadBalancerArn: inputs.loadBalancerArn,
      ...(tagList(inputs.tags).length === 0 ? {} : { Tags: tagList(inputs.tags) }),
    });
    const arn = context.started(given(Listeners?.[0]?.ListenerArn, "the ARN of the listener"));
    if (inputs.tcpIdleTimeoutSeconds !== undefined)
      await elb.modifyListenerAttributes({ ListenerArn: arn, Attributes: idle(inputs) });
    return arn;
  },
  async read(context, arn, known) {
    const { Listeners } = await (await context.aws.elb()).describeListeners({ ListenerArns: [arn] });
    const found = Listeners?.[0];
    if (found === undefined) return undefined;
    return {
      alpnPolicy: found.AlpnPolicy?.[0],
      arn,
      certificateArn: found.Certificates?.[0]?.CertificateArn,
      defaultActions: (found.DefaultActions ?? []).map(actionState),
      loadBalancerArn: found.LoadBalancerArn,
      port: found.Port,
      protocol: found.Protocol,
      sslPolicy: found.SslPolicy ?? "",
      tags: await elbTags(context, arn),
      tcpIdleTimeoutSeconds: known.tcpIdleTimeoutSeconds,
    };
  },
  async update({ aws }, arn, news, { has }) {
    const elb = await aws.elb();
    await elb.modifyListener({ ...settings(news), ListenerArn: arn });
    if (has("tcpIdleTimeoutSeconds") && news.tcpIdleTimeoutSeconds !== undefined) {
      await elb.modifyListenerAttributes({ ListenerArn: arn, Attributes: idle(news) });
    }
  },
  delete: async ({ aws }, arn) => (await aws.elb()).deleteListener({ ListenerArn: arn }),
});

function idle({ tcpIdleTimeoutSeconds }: { tcpIdleTimeoutSeconds?: number | undefined }) {
  return [{ Key: "tcp.idle_timeout.seconds", Value: String(tcpIdleTimeoutSeconds) }];
}

function settings(inputs: Plain<aws.lb.ListenerArgs>) {
  return {
    AlpnPolicy: inputs.alpnPolicy === undefined ? undefined : [inputs.alpnPolicy],
    Certificates:
      inputs.certificateArn === undefined ? undefined : [{ CertificateArn: inputs.certificateArn }],
    DefaultActions: actions(inputs.defaultActions),
    Port: inputs.port,
    Protocol: literal<"TCP">(inputs.protocol),
    SslPolicy: inputs.sslPolicy,
  };
}

function actions(list: Actions): Action[] {
  return list.map((action) => ({
    Type: literal(action.type),
    Order: action.order,
    TargetGroupArn: action.targetGroupArn,
    ForwardConfig:
      action.forward === undefined
        ? undefined
        : {
            TargetGroups: action.forward.targetGroups.map(({ arn, weight }) => ({
              TargetGroupArn: arn,
              Weight: weight,
            })),
            TargetGroupStickinessConfig:
              action.forward.stickiness === undefined
                ? undefined
                : {
                    Enabled: action.forward.stickiness.enabled,
                    DurationSeconds: action.forward.stickiness.duration,
                  },
          },
    FixedResponseConfig:
      action.fixedResponse === undefined
        ? undefined
        : {
            ContentType: action.fixedResponse.contentType,
            MessageBody: action.fixedResponse.messageBody,
            StatusCode: action.fixedResponse.statusCode,
          },
    RedirectConfig:
      action.redirect === undefined
        ? undefined
        : {
            Host: action.redirect.host,
            Path: action.redirect.path,
            Port: action.redirect.port,
            Protocol: action.redirect.protocol,
            Query: action.redirect.query,
            StatusCode: literal(action.redirect.statusCode),
          },
  }));
}

function actionState(found: Action, index: number) {
  const groups = found.ForwardConfig?.TargetGroups ?? [];
  return {
    type: found.Type ?? "forward",
    order: found.Order ?? index + 1,
    ...(found.TargetGroupArn !== undefined
      ? { targetGroupArn: found.TargetGroupArn }
      : groups.length === 1
        ? { targetGroupArn: groups[0]?.TargetGroupArn }
        : {}),
    ...(groups.length > 0
      ? {
          forward: {
            targetGroups: groups.map(({ TargetGroupArn, Weight }) => ({
              arn: TargetGroupArn ?? "",
              weight: Weight ?? 1,
            })),
          },
        }
      : {}),
    ...(found.FixedResponseConfig === undefined
      ? {}
      : {
          fixedResponse: {
            contentType: found.FixedResponseConfig.ContentType ?? "",
            messageBody: found.FixedResponseConfig.MessageBody,
            statusCode: found.FixedResponseConfig.StatusCode,
          },
        }),
    ...(found.RedirectConfig === undefined
      ? {}
      : {
          redirect: {
            host: found.RedirectConfig.Host,
            path: found.RedirectConfig.Path,
            port: found.RedirectConfig.Port,
            protocol: found.RedirectConfig.Protocol,
            query: found.RedirectConfig.Query,
            statusCode: found.RedirectConfig.StatusCode ?? "HTTP_301",
          },
        }),
  };
}
