/** The texts of the export of products, which are loaded with its dialog. */
import { textsOf, useTexts } from '../core/i18n.ts'

const english = {
  exportProducts: 'Export products',
  exported: (total: number | undefined) =>
    `${total === undefined ? 'Every product' : `All ${total} products`} that the list finds, with variants, pictures and prices, as a CSV file.`,
  pricesOfChannel: 'Prices of channel',
  inCurrency: 'in currency',
  export: 'Export',
  exportedOf: (done: number, total: number | undefined) => `${done} of ${total ?? '…'} products`,
  noFile: 'No file was written.',
  stop: 'Stop',
  close: 'Close',
  writeFile: 'Write the file',
  leftOut: (count: number, what: string) => `Left out of ${count} products: ${what}.`,
  written: (count: number) => `${count} products were written.`,
  furtherOptions: 'options beyond the third',
  otherMedia: 'media that are no pictures',
  furtherPictures: 'further pictures of variants',
}

const french: typeof english = {
  exportProducts: 'Exporter les produits',
  exported: (total) =>
    `${total === undefined ? 'Tous les produits' : `Les ${total} produits`} que la liste trouve, avec variantes, images et prix, dans un fichier CSV.`,
  pricesOfChannel: 'Prix du canal',
  inCurrency: 'dans la devise',
  export: 'Export',
  exportedOf: (done, total) => `${done} produits sur ${total ?? '…'}`,
  noFile: 'Aucun fichier n’a été écrit.',
  stop: 'Arrêter',
  close: 'Fermer',
  writeFile: 'Écrire le fichier',
  leftOut: (count, what) => `Laissé de côté dans ${count} produits : ${what}.`,
  written: (count) => `${count} produits ont été écrits.`,
  furtherOptions: 'options au-delà de la troisième',
  otherMedia: 'médias qui ne sont pas des images',
  furtherPictures: 'autres images des variantes',
}

const texts = { en: english, fr: french }

export const useExportWords = () => useTexts(texts)
export const exportWords = () => textsOf(texts)
