import { readFileSync } from "node:fs";
import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient, AnalyzerService } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import { AnalyzeDiagnostic, AnalyzeRequest, AnalyzeResponse } from "@pulumi/pulumi/proto/analyzer_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Server } from "./minimal-grpc";

type Handlers = Parameters<Server["addService"]>[1];

async function clientOf(
  handlers: Handlers,
  definition: Parameters<Server["addService"]>[0] = AnalyzerService,
): Promise<AnalyzerClient> {
  const server = new Server();
  server.addService(definition, handlers);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", undefined, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return new AnalyzerClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
  });
}

const analyze = (client: AnalyzerClient, request: AnalyzeRequest) =>
  new Promise<AnalyzeResponse>((resolve, reject) =>
    client.analyze(request, (error, response) => (error === null ? resolve(response) : reject(error))),
  );

test("is needed: the SDK serves with @grpc/grpc-js, and uses nothing else of it", () => {
  const sources = ["@pulumi/policy/server", "@pulumi/pulumi/proto/analyzer_grpc_pb"].map((name) =>
    readFileSync(require.resolve(name), "utf8"),
  );
  const used = sources.flatMap((text) =>
    [...text.matchAll(/\bgrpc\.(\w+)(?=[(.])/g)].map(([, name]) => name),
  );
  expect([...new Set(used)].sort()).toEqual(["Server", "ServerCredentials", "makeGenericClientConstructor"]);
});

test("works: answers calls, also large ones and many at once", async () => {
  const client = await clientOf({
    analyze: ({ request }, answer) => {
      const response = new AnalyzeResponse();
      const diagnostic = new AnalyzeDiagnostic();
      const { text } = ((request as AnalyzeRequest).getProperties()?.toJavaScript() ?? {}) as {
        text?: string;
      };
      diagnostic.setMessage(String(text?.length));
      response.addDiagnostics(diagnostic);
      setImmediate(() => answer(null, response));
    },
  });
  const request = (size: number) => {
    const made = new AnalyzeRequest();
    made.setProperties(Struct.fromJavaScript({ text: "x".repeat(size) }));
    return made;
  };
  const sizes = [1, 100, 40_000_000, 10, 100_000];
  const responses = await Promise.all(sizes.map((size) => analyze(client, request(size))));
  expect(responses.map((response) => Number(response.getDiagnosticsList()[0]?.getMessage()))).toEqual(sizes);
  client.close();
});

test("works: reports errors, and methods that are missing", async () => {
  const failing = await clientOf({ analyze: (_, answer) => answer(new Error("a problem: 100 % — really")) });
  await expect(analyze(failing, new AnalyzeRequest())).rejects.toMatchObject({
    code: 2,
    details: "a problem: 100 % — really",
  });
  failing.close();
  const empty = await clientOf({});
  await expect(analyze(empty, new AnalyzeRequest())).rejects.toMatchObject({ code: 12 });
  empty.close();
});

test("works: a method that is refused answers at once, without reading, until it is refused no more", async () => {
  let isRefused = true;
  const { analyze: method } = AnalyzerService as unknown as Parameters<Server["addService"]>[0];
  if (method === undefined) throw new Error("there is no method analyze");
  let read = 0;
  const requestDeserialize = (message: Buffer): unknown => {
    read++;
    return method.requestDeserialize(message);
  };
  const client = await clientOf(
    { analyze: (_, answer) => answer(null, new AnalyzeResponse()) },
    { analyze: { ...method, requestDeserialize, isRefused: () => isRefused } },
  );
  const request = new AnalyzeRequest();
  request.setProperties(Struct.fromJavaScript({ text: "x".repeat(1_000_000) }));
  await expect(analyze(client, request)).rejects.toMatchObject({ code: 12 });
  await expect(analyze(client, request)).rejects.toMatchObject({ code: 12 });
  expect(read).toBe(0);
  isRefused = false;
  await expect(analyze(client, request)).resolves.toBeInstanceOf(AnalyzeResponse);
  expect(read).toBe(1);
  client.close();
});
