// The status of ClusterLabels and NodePoolLabels.
import { conditionFalse, conditionTrue, type ConditionState } from "../../app/status";

/** How far one label is. */
export interface LabelProgress {
  key: string;
  labelled: number;
  total: number;
  /** The older declaration of the same key, if there is one. */
  overruler: string | undefined;
}

/** The Ready condition of a label. */
export function readyCondition({ key, labelled, total, overruler }: LabelProgress): ConditionState {
  if (overruler !== undefined)
    return conditionFalse(
      "KeyTaken",
      `The older ${overruler} already declares the label ${key}: delete one of the two, or change its key.`,
    );
  return labelled === total
    ? conditionTrue("Labelled", `All ${total} nodes carry ${key}.`)
    : conditionFalse("Labelling", `${labelled} of ${total} nodes carry ${key}.`);
}
