const en = {
  variant: 'Variant',
  newVariantOf: (product: string) => `New variant of ${product}`,
  valueHint: 'Choose a value, or type a new one.',
  pictures: 'Pictures',
}

const fr: typeof en = {
  variant: 'Variante',
  newVariantOf: (product) => `Nouvelle variante de ${product}`,
  valueHint: 'Choisissez une valeur, ou saisissez-en une nouvelle.',
  pictures: 'Images',
}

export const variantWords = { en, fr }
