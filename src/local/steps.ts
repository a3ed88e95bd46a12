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
