/** The texts of the export of products, which are loaded with its dialog. */
import { useTexts } from '../core/i18n.ts'
import { textsOf } from '../core/language.ts'

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

const german: typeof english = {
  exportProducts: 'Produkte exportieren',
  exported: (total) =>
    `${total === undefined ? 'Alle Produkte' : `Alle ${total} Produkte`}, die die Liste findet, mit Varianten, Bildern und Preisen, als CSV-Datei.`,
  pricesOfChannel: 'Preise des Kanals',
  inCurrency: 'in der Währung',
  export: 'Exportieren',
  exportedOf: (done, total) => `${done} von ${total ?? '…'} Produkten`,
  noFile: 'Es wurde keine Datei geschrieben.',
  stop: 'Anhalten',
  close: 'Schließen',
  writeFile: 'Datei schreiben',
  leftOut: (count, what) => `Bei ${count} Produkten ausgelassen: ${what}.`,
  written: (count) =>
    count === 1 ? 'Ein Produkt wurde geschrieben.' : `${count} Produkte wurden geschrieben.`,
  furtherOptions: 'Optionen nach der dritten',
  otherMedia: 'Medien, die keine Bilder sind',
  furtherPictures: 'weitere Bilder der Varianten',
}

const texts = { en: english, fr: french, de: german }

export const useExportWords = () => useTexts(texts)
export const exportWords = () => textsOf(texts)
