import type { CommandContext } from "./context";

/** Stops everything and keeps the data. */
export async function down({ sandbox, progress }: CommandContext): Promise<void> {
  await sandbox.exclusively(progress, () =>
    progress.step(`sandbox ${sandbox.layout.name} stopped`, () => sandbox.down()),
  );
}

/** Stops everything and deletes it: cluster, keys and Pulumi state. */
export async function reset({ sandbox, progress }: CommandContext): Promise<void> {
  await sandbox.exclusively(progress, () =>
    progress.step(`sandbox ${sandbox.layout.name} deleted`, () => sandbox.reset()),
  );
}
