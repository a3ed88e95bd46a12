import { Presets, SingleBar } from 'cli-progress'

/** Shows which check is under way. */
export type Progress = {
  begin(check: string): void
  stop(): void
}

/** A bar on a terminal; elsewhere a plain line for each check, so that logs stay readable. */
export function showProgress(total: number, output: NodeJS.WriteStream = process.stderr): Progress {
  let begun = 0
  if (output.isTTY) {
    const format = '{bar} {value} of {total}  {check}  {duration_formatted}'
    const bar = new SingleBar(
      { format, stream: output, hideCursor: true, clearOnComplete: true },
      Presets.shades_classic,
    )
    bar.start(total, 0, { check: '' })
    return {
      begin: (check) => bar.update(begun++, { check }),
      stop: () => {
        bar.update(total)
        bar.stop()
      },
    }
  }
  return {
    begin: (check) => {
      begun += 1
      output.write(`${begun} of ${total}: ${check}\n`)
    },
    stop() {},
  }
}
