/** The recording: one text file per topic, with the requests and their responses. */
import { createHash } from 'node:crypto'
import { differenceOf, linesOf } from './lines.ts'

/** The parts of a response that are compared. */
export type Outcome = {
  /** The caller, version and locale of a read; empty for a write. */
  readonly context: string
  /** The status, and every unusual header. */
  readonly head: string
  readonly body: string
}

/** A request with its outcomes. */
export type Entry = {
  readonly title: string
  /** Requests whose bodies are likely to be alike; by default those of one address. */
  readonly family?: string
  readonly outcomes: readonly Outcome[]
}

const titleMark = '# '
const separator = ' · '

/** A body that the file contains, complete or as a difference. */
type PrintedBody = { readonly name: string; readonly lines: readonly string[] }

/** The number of earlier bodies to which a new one is compared. */
const mostBases = 6

/** The text of a topic's file, in which each body is printed once: complete, or as the difference from an earlier body. */
export function topicText(about: readonly string[], entries: readonly Entry[]): string {
  const printedNames = new Set<string>()
  const families = new Map<string, PrintedBody[]>()
  const blocks = entries.map((entry) => entryText(entry, printedNames, basesOf(families, entry)))
  return `${about.map((line) => `| ${line}`).join('\n')}\n\n${blocks.join('\n')}`
}

/** The bodies that were printed for requests of the same family. */
function basesOf(families: Map<string, PrintedBody[]>, { title, family }: Entry): PrintedBody[] {
  const [address = ''] = /^[^?{,]*/.exec(title) ?? []
  const bodies = families.get(family ?? address) ?? []
  families.set(family ?? address, bodies)
  return bodies
}

function entryText({ title, outcomes }: Entry, printedNames: Set<string>, bases: PrintedBody[]): string {
  const lines = [`${titleMark}${title}`]
  for (const group of Map.groupBy(outcomes, ({ head, body }) => `${head}\n${body}`).values()) {
    lines.push(...contextLines(group))
    for (const { head, body } of group.slice(0, 1)) {
      if (body === '') {
        lines.push(`  ${head}`)
        continue
      }
      const name = createHash('sha256').update(body).digest('hex').slice(0, 12)
      lines.push(`  ${head}${separator}body ${name}`)
      if (printedNames.has(name)) continue
      printedNames.add(name)
      const printedBody = { name, lines: linesOf(body) }
      lines.push(...bodyLines(printedBody.lines, bases).map((line) => `    ${line}`))
      bases.push(printedBody)
      // The first body and the latest ones resemble the next one most.
      if (bases.length > mostBases) bases.splice(1, 1)
    }
  }
  return `${lines.join('\n')}\n`
}

/** The contexts of equal outcomes, on lines of a readable length. */
function contextLines(outcomes: readonly Outcome[]): string[] {
  const lines: string[] = []
  for (const { context } of outcomes) {
    const last = lines.at(-1)
    if (context === '') continue
    if (last !== undefined && last.length + context.length < 120)
      lines[lines.length - 1] = `${last}${separator}${context}`
    else lines.push(context)
  }
  return lines
}

/** The lines of a body; instead only those that differ from an earlier body, if they are clearly fewer. */
function bodyLines(lines: readonly string[], bases: readonly PrintedBody[]): readonly string[] {
  const [base] = bases
    .map((body) => ({ ...body, distance: distanceBetween(body.lines, lines) }))
    .toSorted((a, b) => a.distance - b.distance)
  if (!base) return lines
  const changes = differenceOf(base.lines, lines).flatMap(({ at, removed, added }) => [
    `@${at}`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ])
  return lengthOf(changes) < 0.7 * lengthOf(lines) ? [`= ${base.name} except`, ...changes] : lines
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length, 0)

/** The number of characters in the lines that only one of two texts contains. */
function distanceBetween(before: readonly string[], after: readonly string[]): number {
  const [left, right] = [new Set(before), new Set(after)]
  return (
    lengthOf(before.filter((line) => !right.has(line))) + lengthOf(after.filter((line) => !left.has(line)))
  )
}

/** A response in a file: its head contains the name of its body. */
type RecordedOutcome = { readonly head: string; readonly bodyName: string }

type RecordedTopic = {
  /** By title and context. A repeated title has a number. */
  readonly outcomes: ReadonlyMap<string, RecordedOutcome>
  readonly bodies: ReadonlyMap<string, readonly string[]>
}

/** A response that differs from the recording, with the differing lines. */
export type Mismatch = { readonly title: string; readonly lines: readonly string[] }

/** Compares the recorded text of a topic with the text of a new run. */
export function mismatchesBetween(recordedText: string, replayedText: string): Mismatch[] {
  if (recordedText === replayedText) return []
  const [before, after] = [topicIn(recordedText), topicIn(replayedText)]
  const titles = [...new Set([...before.outcomes.keys(), ...after.outcomes.keys()])]
  return titles.flatMap((title) => {
    const [old, now] = [before.outcomes.get(title), after.outcomes.get(title)]
    if (old?.head === now?.head) return []
    const body = after.bodies.get(now?.bodyName ?? '') ?? []
    const oldBody = statusOf(old) === statusOf(now) ? (before.bodies.get(old?.bodyName ?? '') ?? []) : []
    const lines = [
      ...(old ? [`  - ${old.head}`] : []),
      ...(now ? [`  + ${now.head}`] : []),
      ...bodyDifference(oldBody, body),
    ]
    return [{ title, lines }]
  })
}

const statusOf = (outcome: RecordedOutcome | undefined) => outcome?.head.split(separator)[0]

function bodyDifference(before: readonly string[], after: readonly string[]): string[] {
  return differenceOf(before, after).flatMap(({ at, removed, added }) => [
    ...before.slice(Math.max(0, at - 1), at).map((line) => `      ${line}`),
    ...removed.map((line) => `    - ${line}`),
    ...added.map((line) => `    + ${line}`),
  ])
}

function topicIn(text: string): RecordedTopic {
  const outcomes = new Map<string, RecordedOutcome>()
  const bodies = new Map<string, string[]>()
  const counts = new Map<string, number>()
  let [title, contexts, body]: [string, string[], string[]] = ['', [], []]
  for (const line of text.split('\n')) {
    if (line.startsWith(titleMark)) {
      title = line.slice(titleMark.length)
      const count = (counts.get(title) ?? 0) + 1
      counts.set(title, count)
      if (count > 1) title = `${title} (${count})`
      contexts = []
    } else if (line.startsWith('    ')) body.push(line.slice(4))
    else if (line.startsWith('  ')) {
      const head = line.slice(2)
      const bodyName = / body ([0-9a-f]{12})$/.exec(head)?.[1] ?? ''
      for (const context of contexts.length > 0 ? contexts : [''])
        outcomes.set(context === '' ? title : `${title}\n  ${context}`, { head, bodyName })
      contexts = []
      body = bodies.get(bodyName) ?? []
      bodies.set(bodyName, body)
    } else if (line !== '') contexts.push(...line.split(separator))
  }
  return { outcomes, bodies: completeBodies(bodies) }
}

/** Bodies that are printed as differences become complete. Each comes after the body that it refers to. */
function completeBodies(bodies: ReadonlyMap<string, readonly string[]>): Map<string, readonly string[]> {
  const complete = new Map<string, readonly string[]>()
  for (const [name, [first = '', ...changes]] of bodies) {
    const base = complete.get(/^= ([0-9a-f]{12}) except$/.exec(first)?.[1] ?? '')
    complete.set(name, base ? applied(base, changes) : [first, ...changes])
  }
  return complete
}

function applied(base: readonly string[], changes: readonly string[]): string[] {
  const lines: string[] = []
  let place = 0
  for (const change of changes) {
    const rest = change.slice(1)
    if (change.startsWith('@')) {
      lines.push(...base.slice(place, Number(rest)))
      place = Number(rest)
    } else if (change.startsWith('-')) place += 1
    else lines.push(rest)
  }
  return [...lines, ...base.slice(place)]
}
