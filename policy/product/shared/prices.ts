import prices from "./prices.json";

const HOURS_A_MONTH = 730;
const FAMILIES: Readonly<Record<string, number>> = prices.hourlyByFamily;
const SIZES: Readonly<Record<string, number>> = prices.factorBySize;
const VOLUMES: Readonly<Record<string, number>> = prices.monthlyPerGibibyte;

/** Where the figures are from and how old they are, for messages. */
export const PRICES_OF = `list prices of ${prices.region} as published on ${prices.published}`;

/** What a machine costs a month, in dollars; undefined where the table does not know its type. */
export function instancePrice(type: string): number | undefined {
  const [family = "", size = ""] = type.split(".");
  const large = FAMILIES[family];
  const factor = SIZES[size];
  return large === undefined || factor === undefined ? undefined : large * factor * HOURS_A_MONTH;
}

/** What a volume costs a month, without what is paid for more speed. */
export function volumePrice(type: string, gibibytes: number): number | undefined {
  const price = VOLUMES[type];
  return price === undefined ? undefined : price * gibibytes;
}

/** What other things cost a month. */
export function monthlyPrice(what: keyof typeof prices.hourly | "key"): number {
  return what === "key" ? prices.monthly.key : prices.hourly[what] * HOURS_A_MONTH;
}
