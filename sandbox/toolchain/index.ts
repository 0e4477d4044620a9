export { cacheRoot, ToolCache } from "./cache";
export { ensureTools, type EnsureOptions, planTools, type ReadyTool, type ToolStep } from "./ensure";
export { withLock } from "./lock";
export { ensurePythonEnvironment, type EnvironmentOptions, type PythonProgram } from "./python-environment";
export { requirePrerequisites } from "./prerequisites";
export { ensureSystemPackages, missingPackages } from "./system-packages";
export { TOOL_NAMES, TOOL_SETS, type ToolName, type ToolSet } from "./tools";
