import { Presets, SingleBar } from 'cli-progress'

/** Shows how far an import is. */
export type Progress = {
  advance(bytesRead: number, products: number): void
  stop(): void
}

/** A bar on a terminal; elsewhere a plain line each time the work advances, so that logs stay readable. */
export function showProgress(totalBytes: number, output: NodeJS.WriteStream = process.stderr): Progress {
  if (output.isTTY) {
    const bar = new SingleBar(
      {
        format: '{bar} {percentage}%  {products} products  {duration_formatted}',
        stream: output,
        hideCursor: true,
      },
      Presets.shades_classic,
    )
    bar.start(totalBytes, 0, { products: 0 })
    return {
      advance: (bytesRead, products) => bar.update(Math.min(bytesRead, totalBytes), { products }),
      stop: () => bar.stop(),
    }
  }
  return {
    advance(bytesRead, products) {
      const percent = totalBytes === 0 ? 100 : Math.min(100, Math.round((bytesRead / totalBytes) * 100))
      output.write(`${String(percent).padStart(3)} %  ${products} products\n`)
    },
    stop() {},
  }
}
