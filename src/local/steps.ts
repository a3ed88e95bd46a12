/** Runs one step of a start and prints how long it took; on a terminal also that it is under way. */
export async function step<Result>(
  name: string,
  run: (onProgress: (message: string) => void) => Promise<Result>,
): Promise<Result> {
  const started = performance.now()
  const live = process.stdout.isTTY
  const show = (message: string) => live && process.stdout.write(`\r\x1b[2K… ${message}`)
  show(name)
  try {
    const result = await run((message) => show(`${name}: ${message}`))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    process.stdout.write(`${live ? '\r\x1b[2K' : ''}✔ ${name} ready in ${seconds} s\n`)
    return result
  } catch (error) {
    process.stdout.write(`${live ? '\r\x1b[2K' : ''}✘ ${name}\n`)
    throw error
  }
}

/** Adds a detail to the step above. */
export function explain(message: string): void {
  console.log(`  ${message}`)
}

/** Tells of a trouble that does not stop the start. */
export function warn(message: string): void {
  console.error(`  ${message}`)
}
