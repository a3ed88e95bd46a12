const en = {
  nothing: 'nothing',
  yes: 'yes',
  no: 'no',
  noPrice: 'no price',
  from: (price: string) => `from ${price}`,
  onlyVariant: 'the only variant',
  justNow: 'just now',
  notANumber: (example: string) => `This is not one number. Write it like ${example}.`,
}

const fr: typeof en = {
  nothing: 'rien',
  yes: 'oui',
  no: 'non',
  noPrice: 'sans prix',
  from: (price) => `dès ${price}`,
  onlyVariant: 'la seule variante',
  justNow: 'à l’instant',
  notANumber: (example) => `Ce n’est pas un nombre. Écrivez-le ainsi : ${example}.`,
}

export const fieldWords = { en, fr }
