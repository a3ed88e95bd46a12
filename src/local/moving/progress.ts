import { Presets, SingleBar } from 'cli-progress'

/** Shows how far the rows of a catalogue are. */
export type Progress = {
  start(total: number, done: number): void
  advance(kind: string, rows: number): void
  stop(): void
}

/** A bar on a terminal; elsewhere a plain line for each kind of row and each tenth, so that logs stay short. */
export function showProgress(output: NodeJS.WriteStream = process.stderr): Progress {
  const format = '{bar} {percentage}%  {value} of {total} rows  {kind}  {duration_formatted}'
  const bar = output.isTTY
    ? new SingleBar({ format, stream: output, hideCursor: true }, Presets.shades_classic)
    : null
  let [all, done, shown] = [0, 0, '']
  return {
    start(total, already) {
      ;[all, done] = [total, already]
      bar?.start(total, already, { kind: '' })
    },
    advance(kind, rows) {
      done += rows
      bar?.update(Math.min(done, all), { kind })
      const tenth = `${kind} ${all === 0 ? 100 : Math.min(100, Math.floor((done * 10) / all) * 10)} %`
      if (!bar && tenth !== shown) output.write(`${tenth}\n`)
      shown = tenth
    },
    stop: () => bar?.stop(),
  }
}

/** Shows nothing. */
export const noProgress: Progress = { start() {}, advance() {}, stop() {} }
