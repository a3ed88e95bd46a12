/** The page of log events is generated from their declarations. `npm test -- documents/log-events -u` writes it again. */
import { expect, test } from 'vitest'
import { logEvents } from '../../src/core/log.ts'

const rows = Object.entries(logEvents).map(
  ([event, { level, meaning, action }]) => `| \`${event}\` | ${level} | ${meaning} | ${action} |`,
)

const page = `# Log events

The name of a log line in \`event\`, what it means, and what an operator does. This page is generated from \`src/core/log.ts\`; [logs](logs.md) explains the members that all lines have.

| event | level | meaning | action |
| --- | --- | --- | --- |
${rows.join('\n')}
`

test('the page of log events has the declarations of the code', async () => {
  await expect(page).toMatchFileSnapshot('../../.github/docs/log-events.md')
})

test('every field of an event is explained by its meaning', () => {
  // Fields with the name of a resource, the status of the response and the only queue need no explanation.
  const plain = ['subscription', 'delivery', 'eventId', 'topic', 'status', 'queue']
  const missing = Object.entries(logEvents).flatMap(([event, { fields, meaning }]) =>
    fields
      .filter((name) => !plain.includes(name) && !meaning.includes(`\`${name}\``))
      .map((name) => `${event} ${name}`),
  )
  expect(missing).toEqual([])
})
