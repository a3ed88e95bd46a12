import { HttpError } from 'react-admin'
import { type Fields, isFields, same, written } from '../core/changed.ts'
import { conflicts, resolved } from '../core/conflict.ts'
import { collision } from '../core/data-provider.ts'
import { formTexts, type Group, patchTexts, resourceOf, storedTexts } from './texts.ts'

/** The errors of a form, by the names of its inputs. */
export type Refusals = Readonly<Record<string, unknown>>

/** The user chose to save nothing of a document. */
export class NotSaved extends Error {}

/**
 * Writes the changed texts of one document. Returns whether there was a change. After a concurrent write
 * it retains the other user's texts of this language, and asks for each text that both changed.
 * @throws HttpError, NotSaved
 */
export async function saveGroup(group: Group, target: string, texts: Fields): Promise<boolean> {
  let { version } = group
  let before = formTexts(group.iri, group.target)
  let after = texts
  while (true) {
    try {
      return (await patchTexts(group.iri, target, version, before, after)) !== null
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 412) throw error
      const stored = await storedTexts(group.iri)
      const theirs = formTexts(group.iri, stored.translations[target] ?? {})
      const found = conflicts(before, after, theirs)
      const chosen = found.every(({ changedBy }) => changedBy !== null)
        ? resolved(
            theirs,
            found,
            Object.fromEntries(found.map((each) => [each.path, each.changedBy ?? 'mine'])),
          )
        : await collision.ask({
            resource: resourceOf(group.iri),
            theirs: { ...theirs, '@etag': String(stored.version) },
            found,
          })
      if (chosen === null) throw new NotSaved()
      ;({ version } = stored)
      before = theirs
      after = chosen
    }
  }
}

/** Whether a form holds other texts than were read. */
export function isChanged(group: Group, texts: Fields): boolean {
  return !same(written(formTexts(group.iri, group.target)), written(texts))
}

/** Refusals of one document at the inputs of its place in the form. */
export function refusalsOf(error: unknown, place: string): Refusals {
  const body: unknown = error instanceof HttpError ? error.body?.errors : undefined
  const message = error instanceof Error ? error.message : String(error)
  if (!isFields(body as Fields)) return { root: { serverError: message } }
  const { root, ...fields } = body as Record<string, unknown>
  return {
    root: root ?? { serverError: message },
    ...Object.fromEntries(Object.entries(fields).map(([path, reason]) => [`${place}.${path}`, reason])),
  }
}
