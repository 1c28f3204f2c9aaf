import * as z from 'zod/mini';

/**
 * The content of a report page, ready to draw: the page formats no numbers and translates no text. Both sides check
 * what they receive.
 */

const button = z.object({ id: z.string(), label: z.string(), primary: z.optional(z.boolean()) });

const cell = z.object({
  text: z.string(),
  /** Makes the cell a button with this accessible name. */
  button: z.optional(z.object({ id: z.string(), name: z.string() })),
  /** Sort value of the cell; the text by default. */
  sort: z.optional(z.union([z.number(), z.string()])),
  /** Draws a bar of this part of the whole cell, from 0 to 1. */
  share: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
});

const table = z.object({
  caption: z.string(),
  /** Without columns, the table has neither headings nor its caption: each row is a name and its value. */
  columns: z.array(z.object({ label: z.string(), numeric: z.boolean() })),
  rows: z.array(
    z.object({
      id: z.string(),
      cells: z.array(cell),
      /** Makes the first cell a button with this accessible name. */
      action: z.optional(z.string()),
    }),
  ),
});
export type TableView = z.infer<typeof table>;

const point = z.nullable(z.number());
const stackedColumns = z.object({
  kind: z.literal('stackedColumns'),
  unit: z.string(),
  categories: z.array(z.string()),
  series: z.array(z.object({ name: z.string(), values: z.array(point) })),
});
const boxPlot = z.object({
  kind: z.literal('boxPlot'),
  unit: z.string(),
  boxes: z.array(
    z.object({
      name: z.string(),
      low: z.number(),
      lower: z.number(),
      middle: z.number(),
      upper: z.number(),
      high: z.number(),
      /** The user's own value, drawn as a mark. */
      mark: z.optional(z.object({ value: z.number(), label: z.string() })),
    }),
  ),
});
const lines = z.object({
  kind: z.literal('lines'),
  unit: z.string(),
  categories: z.array(z.string()),
  series: z.array(z.object({ name: z.string(), values: z.array(point) })),
});
/** Things by two figures. Each point is a row of the table, which a click or Enter opens. */
const points = z.object({
  kind: z.literal('points'),
  unit: z.string(),
  xTitle: z.string(),
  series: z.array(
    z.object({
      name: z.string(),
      points: z.array(z.object({ row: z.string(), x: z.number(), y: z.number(), label: z.string() })),
    }),
  ),
});
const chart = z.discriminatedUnion('kind', [stackedColumns, boxPlot, lines, points]);
export type ChartView = z.infer<typeof chart>;

const section = z.object({
  id: z.string(),
  title: z.string(),
  chart: z.optional(chart),
  /** The numbers behind the chart; every chart has one. */
  table,
  /** True if the table starts folded below its chart. */
  folded: z.boolean(),
  /** What can be done about what it shows. */
  buttons: z.optional(z.array(button)),
});

const choice = z.object({
  id: z.string(),
  label: z.string(),
  value: z.string(),
  options: z.array(z.object({ value: z.string(), label: z.string() })),
});
const date = z.object({ id: z.string(), label: z.string(), value: z.string(), isDate: z.literal(true) });
const filterView = z.union([date, choice]);
export type FilterView = z.infer<typeof filterView>;

/** A table with a column for each item and a row for each property. */
const comparison = z.object({
  caption: z.string(),
  /** Heading above the names of the rows. */
  corner: z.string(),
  columns: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      /** Notes about the item as a whole, one per line. */
      notes: z.array(z.object({ severity: z.enum(['info', 'warning', 'error']), text: z.string() })),
      /** `name` is the accessible name, because the label is the same in all columns. */
      buttons: z.array(
        z.object({ id: z.string(), label: z.string(), name: z.string(), primary: z.boolean() }),
      ),
    }),
  ),
  groups: z.array(
    z.object({
      label: z.string(),
      rows: z.array(
        z.object({
          label: z.string(),
          cells: z.array(z.object({ text: z.string(), best: z.boolean() })),
        }),
      ),
    }),
  ),
  /** The word beside the best value of a row. */
  best: z.string(),
});
export type ComparisonView = z.infer<typeof comparison>;

const restored = z.object({ instanceId: z.number(), accountKey: z.string() });
/** What the editor keeps of the page of an instance while its window is reloaded. */
export const keptPage = z.object({ restore: restored });

const reportView = z.object({
  title: z.string(),
  subtitle: z.string(),
  busy: z.boolean(),
  notices: z.array(
    z.object({
      severity: z.enum(['info', 'warning', 'error']),
      text: z.string(),
      buttons: z.array(button),
    }),
  ),
  filters: z.array(filterView),
  buttons: z.array(button),
  tiles: z.array(z.object({ label: z.string(), value: z.string() })),
  sections: z.array(section),
  comparison: z.optional(comparison),
  /** Lines of a program, below everything else. */
  output: z.optional(z.object({ title: z.string(), text: z.string(), buttons: z.array(button) })),
  /** What screen readers announce; by default the notices and tiles, which is too much for a page that changes often. */
  spoken: z.optional(z.string()),
  /** The page of which instance the editor restores after a reload of its window. */
  restore: z.optional(restored),
  /** Texts of the page itself. */
  words: z.object({
    loading: z.string(),
    showTable: z.string(),
    /** Empty if pictures can't be saved. */
    savePicture: z.string(),
    median: z.string(),
    sortHint: z.string(),
  }),
});
export type ReportView = z.infer<typeof reportView>;

export const toPage = z.object({ type: z.literal('show'), view: reportView });
export type ToPage = z.infer<typeof toPage>;

export const fromPage = z.discriminatedUnion('type', [
  /** The page has loaded, perhaps again, and needs its content. */
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('button'), id: z.string() }),
  z.object({ type: z.literal('filter'), id: z.string(), value: z.string() }),
  z.object({ type: z.literal('row'), section: z.string(), row: z.string() }),
  /** A chart as PNG, base64 without its prefix. */
  z.object({ type: z.literal('picture'), section: z.string(), png: z.string() }),
]);
export type FromPage = z.infer<typeof fromPage>;
