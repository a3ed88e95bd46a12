import * as z from 'zod'
import { type Figures, parts } from './load.ts'

const figures = z.object({
  rate: z.number(),
  p50: z.number(),
  p99: z.number(),
  statements: z.number(),
  cpu: z.object({
    worker: z.number().nullable(),
    bridge: z.number().nullable(),
    postgres: z.number().nullable(),
  }),
}) satisfies z.ZodType<Figures>

const row = z.object({
  name: z.string(),
  /** Of an answer's body. */
  bytes: z.number(),
  service: figures,
  /** Null for writes. */
  floor: figures.nullable(),
  /** Null where there is no other commit, or it does not know the requests. */
  against: figures.nullable(),
})

/** The measurements of a kind. */
export type Row = z.infer<typeof row>

/** All that is measured in a run, as it is written to a file. */
export const report = z.object({
  measuredAt: z.string(),
  commit: z.string(),
  against: z.string().nullable(),
  products: z.number(),
  seconds: z.number(),
  rounds: z.number(),
  connections: z.number(),
  seed: z.number(),
  processors: z.number(),
  /** Of the machine, over the minute before the measurement. */
  loadBefore: z.number(),
  rows: z.array(row),
})
export type Report = z.infer<typeof report>

/** The figures, next to those of the floor: `of floor` is the service's part of its rate. */
export function mainTable(rows: readonly Row[]): string {
  const head = [
    'request',
    'req/s',
    'p50 ms',
    'p99 ms',
    ...parts.map((part) => `${part} ms`),
    'statements',
    'bytes',
    'floor req/s',
    'floor ms CPU',
    'of floor',
  ]
  return table([
    head,
    ...rows.map(({ name, bytes, service, floor }) => [
      name,
      whole(service.rate),
      tenths(service.p50),
      tenths(service.p99),
      ...parts.map((part) => hundredths(service.cpu[part])),
      tenths(service.statements),
      whole(bytes),
      floor ? whole(floor.rate) : '',
      floor ? hundredths(cpuOf(floor)) : '',
      floor ? hundredths(service.rate / floor.rate) : '',
    ]),
  ])
}

export type Pair = {
  readonly name: string
  readonly now: Figures
  readonly before: Figures
  /** The change of the part of the floor's rate, which does not depend on the machine's load; null if the earlier part is unknown. */
  readonly share: number | null
}

/** The change of figures: each figure, and its ratio to the earlier one. */
export function comparison(pairs: readonly Pair[]): string {
  const times = (value: number | null, earlier: number | null) => [
    hundredths(value),
    value === null || earlier === null || earlier === 0 ? '' : `×${hundredths(value / earlier)}`,
  ]
  return table([
    [
      'request',
      'req/s',
      '',
      'p50 ms',
      '',
      'p99 ms',
      '',
      ...parts.flatMap((part) => [`${part} ms`, '']),
      'statements',
      '',
      'of floor',
    ],
    ...pairs.map(({ name, now, before, share }) => [
      name,
      ...times(now.rate, before.rate),
      ...times(now.p50, before.p50),
      ...times(now.p99, before.p99),
      ...parts.flatMap((part) => times(now.cpu[part], before.cpu[part])),
      ...times(now.statements, before.statements),
      share === null ? '' : `×${hundredths(share)}`,
    ]),
  ])
}

function cpuOf({ cpu }: Figures): number | null {
  const known = parts.map((part) => cpu[part]).filter((each) => each !== null)
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
}

const whole = (value: number) => value.toFixed(0)
const tenths = (value: number) => value.toFixed(1)
const hundredths = (value: number | null) => (value === null ? '–' : value.toFixed(2))

/** A table in Markdown that can also be read as it is. */
export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
