import type { Client } from '../client.ts'
import { concurrently } from '../concurrently.ts'
import type { CategoryDocument, OptionDocument, ProductDocument } from '../documents.ts'
import { type DemoCategory, type DemoProduct, english, french, type Text } from './model.ts'

type Change = { path: string; body: Record<string, unknown> }

/**
 * Writes the French texts that are still read in English: what somebody wrote in the meantime stays. `client` speaks
 * fr-FR. Answers how many documents were translated.
 */
export async function translate(client: Client, changes: readonly Change[]): Promise<number> {
  await concurrently(4, changes, ({ path, body }) => client.write('PATCH', path, body))
  return changes.length
}

/** What a product's document, read in French, still lacks, with its options and their values. */
export function productTranslations(product: DemoProduct, document: ProductDocument): Change[] {
  const seo = product.seo && {
    ...lacking('title', product.seo.title, document.seo?.title),
    ...lacking('description', product.seo.description, document.seo?.description),
  }
  const body = {
    ...lacking('title', product.title, document.title),
    ...lacking('description', product.description, document.description),
    ...(seo && Object.keys(seo).length > 0 && { seo }),
  }
  const options = (product.options ?? []).flatMap((option, place) => {
    const known = document.options[place]
    return known ? optionTranslations(option, known) : []
  })
  return [...change(document['@id'], body), ...options]
}

/** What a category's document, read in French, still lacks. */
export function categoryTranslations(
  { title, description }: DemoCategory,
  document: CategoryDocument & { description?: string | null },
): Change[] {
  return change(document['@id'], {
    ...lacking('title', title, document.title),
    ...(description && lacking('description', description, document.description)),
  })
}

function optionTranslations(
  { title, values }: { title: Text; values: Text[] },
  document: OptionDocument,
): Change[] {
  return [
    ...change(document['@id'], lacking('title', title, document.title)),
    ...values.flatMap((value, place) => {
      const known = document.values[place]
      return known ? change(known['@id'], lacking('title', value, known.title)) : []
    }),
  ]
}

function lacking(field: string, text: Text, shown: string | null | undefined): Record<string, string> {
  return english(text) !== french(text) && shown === english(text) ? { [field]: french(text) } : {}
}

function change(path: string, body: Record<string, unknown>): Change[] {
  return Object.keys(body).length > 0 ? [{ path, body }] : []
}
