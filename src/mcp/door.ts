/** The Model Context Protocol over Streamable HTTP, without sessions: each request is served by itself. */
import { type Json, jsonOf } from '../core/json.ts'
import type { Context, Operation } from '../core/operation.ts'
import { Problem } from '../core/problem.ts'
import { httpProblems } from '../core/problems/index.ts'
import type { Shape } from '../core/property.ts'
import type { Scope } from '../core/scopes.ts'
import type { Dialect } from '../core/versions.ts'
import type { Library } from '../docs/library.ts'
import { callTool } from './call.ts'
import { descriptionOf, isTool } from './description.ts'
import { invalidMessage, messagesIn, namesTool, refusedCount } from './messages.ts'
import { serve } from './server.ts'

/** One request, and what of the service it leans on. */
export type Visit = {
  readonly request: Request
  readonly read: () => Promise<Json>
  readonly context: Context
  readonly dialect: Dialect
  readonly library: Library
  /** @throws Problem when the caller lacks the scope */
  readonly demand: (scope: Scope) => void
  /** Counts one call beyond the first. @throws Problem 429 */
  readonly count: () => Promise<void>
  /** The problem document of an error, as text. */
  readonly problem: (error: unknown) => Promise<string>
}

/** The tools among the operations, behind one address. */
export function toolDoor(operations: readonly Operation[], shapes: ReadonlyMap<string, Shape>) {
  const all = operations.filter(isTool)
  return async function visit({ request, read, context, dialect, library, demand, count, problem }: Visit) {
    const accept = request.headers.get('accept') ?? '*/*'
    if (!/application\/(?:json|\*)|\*\/\*/i.test(accept)) throw httpProblems.not_acceptable()
    const body = await read().catch((error) => {
      if (error instanceof Problem && error.kind.status !== 413) return error
      throw error
    })
    if (body instanceof Problem) return invalidMessage(body)
    const messages = messagesIn(body)
    const refused = refusedCount(messages)
    if (refused) return refused
    const tools = all.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === dialect.version.name)
    // Who may not call is told by the status, with the challenge from which clients ask for the scope.
    for (const { tool, scope } of tools) {
      if (scope !== null && messages.some((each) => namesTool(each, tool.name))) demand(scope)
    }
    for (const _ of messages.slice(1)) await count()
    const reader = { dialect, origin: context.url.origin, everyName: false }
    return serve(request, body, {
      list: () =>
        Promise.all(
          tools.map(async (each) => {
            const documents = await library(`schemas-${each.shape.type}`, reader)
            if (documents === null) throw new Error(`no schemas of ${each.shape.type} are published`)
            return descriptionOf(each, dialect, JSON.parse(documents.text()))
          }),
        ).catch(async (error) => {
          // The SDK answers that it failed, and tells nobody why.
          await problem(error)
          throw error
        }),
      async call(name, given) {
        const operation = tools.find(({ tool }) => tool.name === name)
        if (!operation) return null
        try {
          const answer = await callTool(operation, given && jsonOf(given), context, dialect, shapes)
          return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
        } catch (error) {
          return { content: [{ type: 'text', text: await problem(error) }], isError: true }
        }
      },
    })
  }
}
