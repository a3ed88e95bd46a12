/** Sends code with wrangler, also to an account that has no Analytics Engine. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'

/** Runs a command of wrangler, and returns its output if `output` is `returned`. @throws Failure if it fails */
export type Wrangler = (
  args: readonly string[],
  variables?: Readonly<Record<string, string>>,
  output?: 'returned',
) => Promise<string>

/** An entry of wrangler's output file (WRANGLER_OUTPUT_FILE_PATH). */
const entry = z.object({ type: z.string(), version_id: z.string().nullish(), code: z.unknown().optional() })

/** The code of Cloudflare's error "You need to enable Analytics Engine". */
const analyticsEngineIsOff = 10_089

/**
 * Runs `wrangler deploy` or `wrangler versions upload` in a folder, and returns the entries of its output file. If the account has
 * no Analytics Engine, it runs the command again without the data sets of wrangler.toml.
 * @throws Failure after any other error
 */
export async function upload(
  args: readonly string[],
  directory: string,
  wrangler: Wrangler,
  print: (text: string) => void,
): Promise<readonly z.infer<typeof entry>[]> {
  const outputs = mkdtempSync(join(tmpdir(), 'uploads-'))
  const output = join(outputs, 'output.ndjson')
  const entries = () => {
    const lines = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : []
    return lines.map((line) => entry.parse(JSON.parse(line)))
  }
  const variables = { WRANGLER_OUTPUT_FILE_PATH: output }
  // In the same folder, because wrangler resolves paths from the folder of the configuration.
  const reduced = join(directory, 'wrangler.without-metrics.toml')
  try {
    await wrangler(args, variables).catch(async (error) => {
      if (!entries().some(({ code }) => Number(code) === analyticsEngineIsOff)) throw error
      print(
        '! This account has no Analytics Engine: the Worker is sent without METRICS and writes no data points. Enable it in the dashboard, "Storage & databases", "Analytics Engine", and deploy again.',
      )
      const text = readFileSync(join(directory, 'wrangler.toml'), 'utf8')
      writeFileSync(reduced, text.replaceAll(/^\[\[.*analytics_engine_datasets\]\]\n(?:(?!\[).*\n)*/gm, ''))
      await wrangler([...args, '--config', reduced], variables)
    })
    return entries()
  } finally {
    for (const path of [outputs, reduced]) rmSync(path, { recursive: true, force: true })
  }
}
