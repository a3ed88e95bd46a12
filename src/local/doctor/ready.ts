/** `/ready` of the Worker that serves. */
import * as z from 'zod'
import { reasonOf } from '../cli/command.ts'
import { duration, type Finding, fail, ok, warn } from './finding.ts'

const age = z.number().nullable()
const answer = z.object({ migrations: z.string(), oldestWaitingEvent: age, oldestWaitingDelivery: age })
const problem = z.object({ checks: z.record(z.string(), z.unknown()) })

/** Whether a deployed service is ready; `url` is its address on any host that leads to it. */
export async function readyFindings(url: string): Promise<Finding[]> {
  const check = 'ready'
  const next = 'Find answer_failed in the log; .github/docs/logs.md, "Alive and ready".'
  try {
    const response = await fetch(new URL('/ready', url), {
      signal: AbortSignal.timeout(10_000),
      redirect: 'manual',
    })
    const body: unknown = await response.json().catch(() => null)
    if (response.status === 503) {
      const { data } = problem.safeParse(body)
      const which = data
        ? `: ${Object.entries(data.checks)
            .map((each) => each.join(' '))
            .join(', ')}`
        : ''
      return [fail(check, `${url} answers 503${which}`, next)]
    }
    const read = answer.safeParse(body)
    if (response.status !== 200 || !read.success)
      return [
        fail(
          check,
          `${url}/ready answers ${response.status}, not as this service`,
          'Is there a route to the Worker?',
        ),
      ]
    const { migrations, oldestWaitingEvent: event, oldestWaitingDelivery: delivery } = read.data
    if (migrations === 'ahead')
      return [
        warn(
          check,
          `${url} runs a Worker that is older than the database`,
          'npm run deploy sends the Worker of this tree.',
        ),
      ]
    const ageOf = (seconds: number | null) => (seconds === null ? 'none' : duration(seconds))
    const seen = `${url} is; oldest event ${ageOf(event)}, oldest delivery ${ageOf(delivery)}`
    return [
      (event ?? 0) >= 600
        ? warn(check, seen, 'Are the queues and the cron of the Worker there?')
        : ok(check, seen),
    ]
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${reasonOf(error.cause)})` : ''
    return [
      fail(
        check,
        `${url} is not reached: ${reasonOf(error)}${cause}`,
        'Are its DNS record, certificate and route there?',
      ),
    ]
  }
}
