import path from "node:path";
import { ensurePythonEnvironment, type EnvironmentOptions } from "../toolchain";

/** Where our part of moto and its list of packages lie in the project. */
export const MOTO_FOLDER = path.join(__dirname, "moto");

/** Makes moto's Python environment in the cache unless it is there, and gives the path of its Python. */
export function ensureMoto(options: EnvironmentOptions = {}): Promise<string> {
  const purpose = "the AWS API of the sandbox";
  const requirements = path.join(MOTO_FOLDER, "requirements.txt");
  return ensurePythonEnvironment({ name: "moto", purpose, requirements }, options);
}
