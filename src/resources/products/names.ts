import { sql } from 'drizzle-orm'
import type { Context } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import type { Written } from '../../core/property.ts'
import { refuse } from '../../core/violations.ts'
import { statement } from '../../db/client.ts'
import { gathered, made, nothing, type Reading } from '../../db/reading.ts'
import { productIri } from './iri.ts'
import { productOptionProblems } from './options/problems.ts'
import { productProblems } from './problems.ts'
import { product as shape } from './schema.ts'
import { optionValueProblems } from './values/problems.ts'
import { variantProblems } from './variants/problems.ts'

type Named = Pick<Written<typeof shape>, 'status' | 'handle' | 'externalId'>

export type Conflict = {
  kind: 'handle' | 'externalId' | 'sku' | 'variantExternalId' | 'optionExternalId' | 'valueExternalId'
  value: string
  /** The product that has the name; null if the caller may not read products. */
  holder: { id: string; title: string } | null
}

/** Whether a body restores its product if that is archived; a status of null is the standard one. */
export const isRestoring = ({ status }: Named) => status !== undefined && status !== 'ARCHIVED'

/** Names that another live product or variant has: the ones to be written, and on a restore all of the product's own. */
export function conflictsReading(
  { sight }: Pick<Context, 'sight'>,
  id: string,
  body: Named,
): Reading<readonly Conflict[]> {
  const { handle = null, externalId = null } = body
  const restores = isRestoring(body)
  if (handle === null && externalId === null && !restores) return made(nothing, () => [])
  const conflicts = statement<Conflict>(sql`
    select kind, value, case when ${sight.sees(shape)}::boolean then json_build_object('id', product_id, 'title', product_title) end as holder
      from product_names_conflicting(${id}::uuid, ${handle}::text, ${externalId}::text, ${restores}::boolean)`)
  return made(gathered({ conflicts }), (read) => read.conflicts)
}

const conflictOf: Readonly<Record<Conflict['kind'], (value: string) => Violation>> = {
  handle: (handle) => productProblems.handle_taken.at('handle', { handle }),
  externalId: (externalId) => productProblems.external_id_taken.at('externalId', { externalId }),
  sku: (sku) => variantProblems.sku_taken.at('variants', { sku }),
  variantExternalId: (externalId) => variantProblems.external_id_taken.at('variants', { externalId }),
  optionExternalId: (externalId) => productOptionProblems.external_id_taken.at('options', { externalId }),
  valueExternalId: (externalId) => optionValueProblems.external_id_taken.at('options', { externalId }),
}

/** How developers read of each kind: what has the name, and what the name is. */
const nouns: Readonly<Record<Conflict['kind'], readonly [owner: string, name: string]>> = {
  handle: ['The product', 'handle'],
  externalId: ['The product', 'externalId'],
  sku: ['A variant of the product', 'SKU'],
  variantExternalId: ['A variant of the product', 'externalId'],
  optionExternalId: ['An option of the product', 'externalId'],
  valueExternalId: ['An option value of the product', 'externalId'],
}

/** Who has a name and the two ways out: for a name that the same request can replace, and for one that it cannot. */
const waysOut = {
  replaceable: {
    'en-US': 'It belongs to “{title}”. Choose another one here, or change it there or archive that product.',
    'fr-FR':
      'Il appartient à « {title} ». Choisissez-en un autre ici, ou modifiez-le là-bas ou archivez ce produit.',
    'de-DE':
      'Sie gehört zu „{title}“. Wählen Sie hier eine andere, oder ändern Sie sie dort oder archivieren Sie jenes Produkt.',
    'es-ES': 'Pertenece a «{title}». Elija otro aquí, o cámbielo allí o archive ese producto.',
  },
  fixed: {
    'en-US': 'It belongs to “{title}”. Change it there, or archive that product. Then restore this one.',
    'fr-FR':
      'Elle appartient à « {title} ». Modifiez-la là-bas, ou archivez ce produit-là. Restaurez ensuite celui-ci.',
    'de-DE':
      'Sie gehört zu „{title}“. Ändern Sie sie dort, oder archivieren Sie jenes Produkt. Stellen Sie dann dieses wieder her.',
    'es-ES': 'Pertenece a «{title}». Cámbielo allí o archive ese producto. Después restaure este.',
  },
} as const

function violationOf({ kind, value, holder }: Conflict): Violation {
  const violation = conflictOf[kind](value)
  if (holder === null) return violation
  const { title } = holder
  const isReplaceable = kind === 'handle' || kind === 'externalId'
  const ways = waysOut[isReplaceable ? 'replaceable' : 'fixed']
  const { message } = violation.problem
  const [owner, name] = nouns[kind]
  const next = isReplaceable
    ? `Send another ${name} in the same request, or change it there or archive that product.`
    : 'Change it there, or archive that product. Then send this request again.'
  return {
    ...violation,
    values: { ...violation.values, title },
    occurrence: {
      detail: `${owner} ${productIri(holder.id)} has the ${name} "${value}". ${next}`,
      message: {
        'en-US': `${message['en-US']} ${ways['en-US']}`,
        'fr-FR': `${message['fr-FR']} ${ways['fr-FR']}`,
        'de-DE': `${message['de-DE']} ${ways['de-DE']}`,
        'es-ES': `${message['es-ES']} ${ways['es-ES']}`,
      },
    },
  }
}

/** Refuses a change that asks for names that others have. */
export function refuseConflicts(conflicts: readonly Conflict[]): void {
  refuse(conflicts.map(violationOf))
}

/** A name that was taken, or a category that went, between the two trips is found, and named, by reading again. */
export const refusals = {
  products_handle: 'again',
  products_external_id: 'again',
  variants_sku: 'again',
  variants_external_id: 'again',
  product_options_external_id: 'again',
  option_values_external_id: 'again',
  sale_offers_external_id: 'again',
  product_categories_category: 'again',
} as const
