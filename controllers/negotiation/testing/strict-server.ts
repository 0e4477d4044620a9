// Asks a real API server: random pairs of schemas and their meet become definitions, and documents are tried by strict dry runs.
import { readFile } from "node:fs/promises";
import { waitFor } from "../../../lib/deadline";
import { startControlPlane, type ControlPlane } from "../../../sandbox/controlplane";
import { ApiClient } from "../../../sandbox/controlplane/api";
import { meet } from "../meet";
import { publishable } from "../publishable";
import { text, type Schema } from "../schema";
import { accepts } from "../validate";
import { pick, randomDocument, randomFrom, randomObject } from "./random";

const GROUP = "negotiation-test.fleetwright.dev";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What came of some pairs. */
export interface Verdict {
  pairs: number;
  /** Pairs of which nothing fits both, and pairs of which the server takes one for no schema. */
  nothing: number;
  refusedPairs: number;
  documents: number;
  accepted: number;
  /** Documents that the meet accepts and one side refuses. */
  unsound: string[];
  /** Meets that the server takes for no schema although it took both sides. */
  refusedMeets: string[];
  /** Documents that both sides accept and the meet refuses; no mistake, but worth a count. */
  lost: number;
  /** Documents of which our own validation says something else than the server. */
  disagreements: string[];
}

/** An API server, and what random schemas become there. */
export class StrictServer {
  private constructor(
    private readonly plane: ControlPlane,
    private readonly api: ApiClient,
  ) {}

  static async start(): Promise<StrictServer> {
    const plane = await startControlPlane({ components: { controllerManager: false, scheduler: false } });
    const api = new ApiClient({
      endpoint: plane.endpoint,
      authority: await readFile(plane.caCertificate, "utf8"),
      client: await plane.credentialsFor("server", ["fleetwright:cluster-admins"]),
    });
    return new StrictServer(plane, api);
  }

  async stop(): Promise<void> {
    this.api.close();
    await this.plane.stop();
  }

  /** Tries some pairs, each with some documents. The pairs follow from the seed alone. */
  async pairs(seed: number, count: number, documents: number): Promise<Verdict> {
    const verdict: Verdict = {
      pairs: 0,
      nothing: 0,
      refusedPairs: 0,
      documents: 0,
      accepted: 0,
      unsound: [],
      refusedMeets: [],
      lost: 0,
      disagreements: [],
    };
    const numbers = Array.from({ length: count }, (_, index) => index);
    // The server describes all kinds anew for each definition: a few at a time, and none left behind.
    for (let begin = 0; begin < count; begin += 8)
      await Promise.all(
        numbers.slice(begin, begin + 8).map((index) => this.pair(seed + index, documents, verdict)),
      );
    return verdict;
  }

  /** Why the server refuses a schema; nothing if it takes it. */
  async refusal(schema: Schema): Promise<string> {
    const plural = "alones";
    try {
      const refused = await this.define(plural, schema);
      if (refused === "") await this.served(plural);
      return refused;
    } finally {
      await this.api.send("DELETE", `${DEFINITIONS}/${plural}.${GROUP}`);
      await waitFor(
        "the definition to go",
        async () => (await this.api.send("GET", `${DEFINITIONS}/${plural}.${GROUP}`)).status === 404,
        { timeoutMs: 60_000 },
      );
    }
  }

  private async pair(seed: number, documents: number, verdict: Verdict): Promise<void> {
    const random = randomFrom(seed);
    const [a, b] = [randomObject(random, 2), randomObject(random, 2)].map(whole) as [Schema, Schema];
    const met = meet([
      { name: "a", schema: a },
      { name: "b", schema: b },
    ]).schema;
    const both = met === undefined ? undefined : publishable(met);
    verdict.pairs++;
    if (both === undefined) {
      verdict.nothing++;
      return;
    }
    const plurals = ["as", "bs", "boths"].map((name) => `x${seed}${name}`);
    const schemas = [a, b, both];
    try {
      const made = await Promise.all(
        plurals.map((plural, index) => this.define(plural, schemas[index] ?? {})),
      );
      if (made[0] !== "" || made[1] !== "") {
        verdict.refusedPairs++;
        return;
      }
      if (made[2] !== "") {
        verdict.refusedMeets.push(text({ seed, a, b, both, answer: made[2] }));
        return;
      }
      await Promise.all(plurals.map((plural) => this.served(plural)));
      const [specA, specB, specBoth] = schemas.map((schema) => schema.properties?.spec ?? {}) as [
        Schema,
        Schema,
        Schema,
      ];
      for (let index = 0; index < documents; index++) {
        const spec = randomDocument(random, pick(random, [specBoth, specBoth, specA, specB]));
        const [acceptsA, acceptsB, acceptsBoth] = await Promise.all(
          plurals.map((plural) => this.takes(plural, spec)),
        );
        verdict.documents++;
        if (acceptsBoth === true) verdict.accepted++;
        if (acceptsBoth === true && (acceptsA !== true || acceptsB !== true))
          verdict.unsound.push(text({ seed, a: specA, b: specB, both: specBoth, spec, acceptsA, acceptsB }));
        if (acceptsA === true && acceptsB === true && acceptsBoth !== true) verdict.lost++;
        for (const [schema, answer] of [
          [a, acceptsA],
          [b, acceptsB],
          [both, acceptsBoth],
        ] as const)
          // Formats are left to the server.
          if (!text(schema).includes(`"format"`) && accepts(schema, { spec }) !== (answer === true))
            verdict.disagreements.push(text({ seed, schema, spec, answer }));
      }
    } finally {
      await Promise.all(
        plurals.map((plural) => this.api.send("DELETE", `${DEFINITIONS}/${plural}.${GROUP}`)),
      );
    }
  }

  /** Makes a definition; gives the refusal, or nothing. */
  private async define(plural: string, schema: Schema): Promise<string> {
    const answer = await this.api.send("POST", DEFINITIONS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope: "Cluster",
        names: {
          plural,
          singular: plural.slice(0, -1),
          kind: kindOf(plural),
          listKind: `${kindOf(plural)}List`,
        },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    return answer.status === 201 ? "" : answer.body;
  }

  private async served(plural: string): Promise<void> {
    await waitFor(
      `${plural} to be served`,
      async () => (await this.api.send("GET", `/apis/${GROUP}/v1/${plural}`)).status === 200,
      { timeoutMs: 60_000 },
    );
  }

  /** True, or the refusal. */
  private async takes(plural: string, spec: unknown): Promise<true | string> {
    const answer = await this.api.send(
      "POST",
      `/apis/${GROUP}/v1/${plural}?dryRun=All&fieldValidation=Strict`,
      { apiVersion: `${GROUP}/v1`, kind: kindOf(plural), metadata: { name: "one" }, spec },
    );
    if (answer.status === 201) return true;
    if (answer.status === 400 || answer.status === 422) return answer.body.slice(0, 600);
    throw new Error(`A dry run of ${plural} was answered ${answer.status}: ${answer.body.slice(0, 600)}`);
  }
}

const kindOf = (plural: string): string => `X${plural.slice(1)}`;

const whole = (spec: Schema): Schema => ({
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec,
  },
});
