import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare } from "../core/declaration";
import { chosenOnce } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** A public key for logins. AWS keeps its fingerprint, and the official provider does not ask for the key again. */
export const keyPair = declare<aws.ec2.KeyPairArgs, aws.ec2.KeyPairState>({
  token: "aws:ec2/keyPair:KeyPair",
  properties: {
    keyName: chosenOnce,
    keyNamePrefix: { replaces: true, local: true },
    publicKey: { required: true, replaces: true, local: true, normal: (value) => String(value).trim() },
  },
  name: { property: "keyName", maxLength: 255, prefixProperty: "keyNamePrefix" },
  tagging: {
    set: (context, _id, state, tags) => ec2Tagging.set(context, String(state.keyPairId), state, tags),
    remove: (context, _id, state, keys) => ec2Tagging.remove(context, String(state.keyPairId), state, keys),
  },
  async create({ aws }, inputs) {
    const { KeyName } = await (
      await aws.ec2()
    ).importKeyPair({
      KeyName: inputs.keyName ?? `${inputs.keyNamePrefix ?? ""}${Date.now().toString(16)}`,
      PublicKeyMaterial: Buffer.from(inputs.publicKey),
      TagSpecifications: tagged("key-pair", inputs.tags),
    });
    return given(KeyName, "the name of the key pair");
  },
  async read({ aws, region, partition, account }, id) {
    const { KeyPairs } = await (await aws.ec2()).describeKeyPairs({ KeyNames: [id] });
    const found = KeyPairs?.[0];
    if (found === undefined) return undefined;
    return {
      arn: `arn:${partition}:ec2:${region}:${await account()}:key-pair/${id}`,
      fingerprint: found.KeyFingerprint,
      keyName: found.KeyName,
      keyPairId: found.KeyPairId,
      keyType: found.KeyType,
      tags: fromTagList(found.Tags),
    };
  },
  delete: async ({ aws }, id) => (await aws.ec2()).deleteKeyPair({ KeyName: id }),
});
