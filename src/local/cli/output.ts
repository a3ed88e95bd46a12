/** Progress bars and tables of local commands. */
import { Presets, SingleBar } from 'cli-progress'

/** Shows how much of a work is done. */
export type Progress = {
  start(total: number, done?: number): void
  /** `done` of the total are done, and `what` is next. */
  show(what: string, done: number): void
  /** `count` more are done, of `what`. */
  advance(what: string, count: number): void
  stop(): void
}

/** A bar on a terminal. Elsewhere it prints a line for each tenth and each `what`, so that logs remain short. */
export function progressBar(output: NodeJS.WriteStream = process.stderr): Progress {
  const format = '{bar} {percentage}%  {what}  {duration_formatted}'
  const bar = output.isTTY
    ? new SingleBar({ format, stream: output, hideCursor: true }, Presets.shades_classic)
    : null
  let [total, done, lastLine] = [0, 0, '']
  function show(what: string, count: number): void {
    done = count
    bar?.update(Math.min(done, total), { what })
    const percentage = total === 0 ? 100 : Math.min(100, Math.floor((done * 10) / total) * 10)
    const line = `${String(percentage).padStart(3)} %  ${what}\n`
    if (!bar && line !== lastLine) output.write(line)
    lastLine = line
  }
  return {
    start(newTotal, alreadyDone = 0) {
      ;[total, done] = [newTotal, alreadyDone]
      bar?.start(total, done, { what: '' })
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
