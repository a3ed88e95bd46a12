import { type Canaries, type Samples, sampleTexts } from '../support/sampling.ts'
import { spareOption } from './options.ts'
import { plainProduct, productCanary } from './products.ts'

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const option = (await spareOption(shop))['@id']
  const { id } = await make('/api/option_values', { option, title: 'Spare' })
  // One in addition to the value of its option.
  const { options } = await plainProduct(shop)
  const loose = await make('/api/option_values', { option: options[0]['@id'], title: 'Spare' })
  return {
    listOptionValues: () => ({ params: {} }),
    createOptionValue: () => ({ params: {}, body: { option, title: next() } }),
    getOptionValue: () => ({ params: { id } }),
    patchOptionValue: () => ({ params: { id }, body: { title: next() } }),
    deleteOptionValue: () => ({ params: { id: loose.id } }),
    getOptionValueTranslations: () => ({ params: { id } }),
    listOptionValueTranslations: () => ({ params: {}, query: { missing: 'fr-FR' } }),
    putOptionValueTranslations: () => ({ params: { id }, body: sampleTexts(shop) }),
  }
}

export const canaries: Canaries = async (shop) => {
  const { options } = await productCanary(shop)
  return { option_value: options[0].values[0] }
}
