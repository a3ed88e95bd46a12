import type { Samples } from '../support/sampling.ts'

/** The IRI of the type of a line of text. */
export const lineOfText = '/api/metafield_definition_types/single_line_text_field'

export const samples: Samples = async () => ({
  listMetafieldDefinitionTypes: () => ({ params: {} }),
  getMetafieldDefinitionType: () => ({ params: { slug: 'list.date' } }),
})
