/**
 * Steps of a write, which the SQL function `write()` does one after the other in one statement: it is sent once, waited for once,
 * and what it runs is planned once on a connection.
 */
import { sql } from 'drizzle-orm'
import type { Statement, Step, WrittenRows } from './statement.ts'

/** A statement that is a step. */
export function stepStatement(step: Step): Statement {
  return {
    step,
    get query() {
      return written(JSON.stringify([step]))
    },
  }
}

/** A step that writes rows. */
export function rowsStatement(rows: WrittenRows): Statement {
  return {
    rows,
    step: rows,
    get query() {
      return written(JSON.stringify([rows]))
    },
  }
}

/** Characters of the steps of one statement: what is larger has its own, and so its own time limit. */
const mostJoined = 500_000
/** Characters of steps that stay together: Postgres writes a megabyte of them in a quarter of a second. */
const mostTogether = 4_000_000

/** The same statements in the same order; those of neighbouring steps are one, which returns `written`: what commit() gave, if it is among them. */
export function joined(statements: readonly Statement[]): Statement[] {
  return packed(statements.map(withText), statements.length)
}

/** The same, and however large: what stands from the `first` on is one statement, unless there is more of it than one may have. */
export function joinedFrom(statements: readonly Statement[], first: number): Statement[] | null {
  const parts = statements.map(withText)
  const last = parts.slice(first)
  const size = last.reduce((sum, { text = '' }) => sum + text.length, 0)
  return size > mostTogether || last.some(({ text }) => text === undefined) ? null : packed(parts, first)
}

type Part = { readonly statement: Statement; readonly text: string | undefined }

function withText(statement: Statement): Part {
  return { statement, text: statement.step && JSON.stringify(statement.step) }
}

function packed(parts: readonly Part[], together: number): Statement[] {
  const result: Statement[] = []
  let steps: string[] = []
  let size = 0
  const end = () => {
    const text = `[${steps.join(',')}]`
    if (steps.length > 0) result.push({ query: written(text), steps: text })
    steps = []
    size = 0
  }
  for (const [index, { statement, text }] of parts.entries()) {
    if (text === undefined || (index <= together && size + text.length > mostJoined)) end()
    if (text === undefined) result.push(statement)
    else {
      steps.push(text)
      size += text.length
    }
  }
  end()
  return result
}

function written(steps: string) {
  return sql`select write(${steps}::jsonb) as written`
}
