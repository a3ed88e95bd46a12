import { Presets, SingleBar } from 'cli-progress'

/** Shows how far rows are done, of so many in all. */
type Progress = {
  /** `what` is done now; `done` rows are behind it in all. */
  show(what: string, done: number): void
  stop(): void
}

/** Begins to show how far rows are done. */
export type Shows = (total: number) => Progress

/** A bar on a terminal; elsewhere a plain line for each thing that is done and each tenth of the rows, so that logs stay short. */
export const showProgress: Shows = (total) => {
  const output = process.stderr
  if (output.isTTY) {
    const format = '{bar} {percentage}%  {value} of {total} rows  {what}  {duration_formatted}'
    const bar = new SingleBar({ format, stream: output, hideCursor: true }, Presets.shades_classic)
    bar.start(total, 0, { what: '' })
    return { show: (what, done) => bar.update(Math.min(done, total), { what }), stop: () => bar.stop() }
  }
  let shown = ''
  return {
    show(what, done) {
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((done * 10) / total) * 10)
      const line = `${String(percent).padStart(3)} %  ${what}\n`
      if (line !== shown) output.write(line)
      shown = line
    },
    stop() {},
  }
}
