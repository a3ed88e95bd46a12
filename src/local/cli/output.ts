/** Progress bars and tables of local commands. */
import { Presets, SingleBar } from 'cli-progress'

/** Shows how much of a work is done. */
export type Progress = {
  start(total: number, done?: number): void
  /** `done` of the total are done, and `what` is next. A new `detail` alone prints no line. */
  show(what: string, done: number, detail?: string): void
  /** `count` more are done, of `what`. */
  advance(what: string, count: number): void
  stop(): void
}

/** A bar on a terminal. Elsewhere it prints a line for each tenth and each `what`, so that logs remain short. */
export function progressBar(output: NodeJS.WriteStream = process.stderr): Progress {
  const format = '{bar} {percentage}%  {what}{detail}  {duration_formatted}'
  const bar = output.isTTY
    ? new SingleBar({ format, stream: output, hideCursor: true }, Presets.shades_classic)
    : null
  let [total, done, lastLine] = [0, 0, '']
  function show(what: string, count: number, detail = ''): void {
    done = count
    const shown = detail && `, ${detail}`
    bar?.update(Math.min(done, total), { what, detail: shown })
    const percentage = total === 0 ? 100 : Math.min(100, Math.floor((done * 10) / total) * 10)
    const line = `${String(percentage).padStart(3)} %  ${what}`
    if (!bar && line !== lastLine) output.write(`${line}${shown}\n`)
    lastLine = line
  }
  return {
    start(newTotal, alreadyDone = 0) {
      ;[total, done] = [newTotal, alreadyDone]
      bar?.start(total, done, { what: '', detail: '' })
    },
    show,
    advance: (what, count) => show(what, done + count),
    stop: () => bar?.stop(),
  }
}

/** Shows nothing. */
export const noProgress: Progress = { start() {}, show() {}, advance() {}, stop() {} }

/** Rows of cells as lines of aligned columns. Numbers are aligned at their ends. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => String(row[column] ?? '').length))
  const widths = (rows[0] ?? []).map((_, column) => width(column))
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          typeof cell === 'number'
            ? String(cell).padStart(widths[column] ?? 0)
            : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** How many there are of something: `1 tenant`, `2 tenants`. */
export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A length of time for people: `40 s`, `12 min`, `3 h`, `2 days`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

let silent = false

/** Lets steps that are still under way end without a word, and no other begin. */
export function fallSilent(): void {
  silent = true
}

/** Runs one step of a start and prints how long it took; on a terminal also that it is under way. */
export async function step<Result>(
  name: string,
  run: (onProgress: (message: string) => void) => Promise<Result>,
): Promise<Result> {
  if (silent) return never()
  const started = performance.now()
  const live = process.stdout.isTTY
  const show = (text: string) => {
    if (!silent) process.stdout.write(live ? `\r\x1b[2K${text}` : text)
  }
  const showUnderWay = (message: string) => live && show(`… ${message}`)
  showUnderWay(name)
  try {
    const result = await run((message) => showUnderWay(`${name}: ${message}`))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    show(`✔ ${name} ready in ${seconds} s\n`)
    return silent ? never() : result
  } catch (error) {
    show(`✘ ${name}\n`)
    throw error
  }
}

const never = () => new Promise<never>(() => {})

/** Prints what a start ends with, unless it is being stopped. */
export function printLine(message: string): void {
  if (!silent) console.log(message)
}

/** Adds a detail to the step above. */
export function explain(message: string): void {
  if (!silent) console.log(`  ${message}`)
}
