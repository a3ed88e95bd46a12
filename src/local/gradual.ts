/** `npm run deploy -- --gradual`: moves requests to a new version in steps, and back to the old one after a failure. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Failure, reasonOf } from './cli/command.ts'
import type { upload, Wrangler } from './upload.ts'

/** Percentages of the requests that the new version gets. */
const steps = [10, 50, 100]

export type GradualDeployment = {
  readonly env: string
  readonly outdir: string
  /** Seconds between two steps. */
  readonly pause: number
  readonly print: (text: string) => void
  readonly wrangler: Wrangler
  /** Runs a command of wrangler that sends code, and returns the entries of its output file. */
  readonly upload: (args: readonly string[]) => ReturnType<typeof upload>
  /** Runs `npm run verify` against a version. @throws Failure */
  readonly verify: (version: string) => Promise<unknown>
}

const deployment = z.object({
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
})

/** The version that serves all requests. @throws Failure if two versions share them, or if none was deployed */
export async function servedVersion({ wrangler, env }: GradualDeployment): Promise<string> {
  const text = await wrangler(['deployments', 'status', '--json', '--env', env], {}, 'returned').catch(() => {
    throw new Failure(
      'No version serves yet, or Cloudflare was not reached. Deploy the first version without --gradual. Nothing was changed.',
    )
  })
  const { versions } = deployment.parse(JSON.parse(text))
  const served = versions.find(({ percentage }) => percentage === 100)
  if (served) return served.version_id
  const list = versions.map((version) => `${version.version_id}@${version.percentage}%`).join(', ')
  throw new Failure(
    `Versions share the requests: ${list}. Give one all of them first: npx wrangler versions deploy VERSION@100% --env ${env}. Nothing was changed.`,
  )
}

/** Sends a version that gets no requests, and returns its id. */
export async function uploadedVersion({ env, outdir, upload }: GradualDeployment): Promise<string> {
  const entries = await upload(['versions', 'upload', '--env', env, '--outdir', outdir])
  const version = entries.find(({ type }) => type === 'version-upload')?.version_id
  if (!version) throw new Failure('wrangler sent no version. No request was moved.')
  return version
}

/**
 * Verifies the new version before each step. It first gets 0 %, because the platform lets a request name only a version of the current
 * deployment. The triggers (routes, cron, queue consumers) are no part of a version, so they follow at the end.
 * @throws Failure after all requests went back to the old version
 */
export async function moveRequests(
  { env, pause, print, wrangler, verify }: GradualDeployment,
  old: string,
  fresh: string,
): Promise<void> {
  const serve = (...traffic: readonly string[]) =>
    wrangler(['versions', 'deploy', ...traffic, '--env', env, '--yes'])
  const stopping = new AbortController()
  const { signal } = stopping
  const stop = () => stopping.abort(new Failure('Stopped.'))
  for (const name of signals) process.on(name, stop)
  try {
    await serve(`${old}@100%`, `${fresh}@0%`)
    for (const [index, percent] of steps.entries()) {
      if (index > 0 && pause > 0) await sleep(pause * 1000, null, { signal })
      signal.throwIfAborted()
      await verify(fresh)
      signal.throwIfAborted()
      await serve(...(percent < 100 ? [`${old}@${100 - percent}%`] : []), `${fresh}@${percent}%`)
      print(`✔ ${percent} % of the requests are served by ${fresh}`)
    }
  } catch (error) {
    const reason = reasonOf(signal.aborted ? signal.reason : error)
    print(`${reason}\nMoving all requests back to ${old}.`)
    await serve(`${old}@100%`).catch(() => {
      throw new Failure(
        `${reason}\nThe requests were not moved back. Run: npx wrangler versions deploy ${old}@100% --env ${env} --yes`,
      )
    })
    throw new Failure(`${reason}\n${old} serves all requests again. Migrations stay.`)
  } finally {
    for (const name of signals) process.off(name, stop)
  }
  await wrangler(['triggers', 'deploy', '--env', env]).catch(() => {
    throw new Failure(
      `${fresh} serves all requests, with the former triggers. Run: npx wrangler triggers deploy --env ${env}`,
    )
  })
}

/** A deployment that is stopped must not leave requests at a version that was not verified. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
