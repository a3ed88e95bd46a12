import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Reads the options of `npm run NAME`. Wrong usage ends the process with exit code 2. */
export function commandOptions<const Options extends ParseArgsOptionsConfig>(name: string, options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nSee: npm run ${name} -- --help`)
    process.exit(2)
  }
}
