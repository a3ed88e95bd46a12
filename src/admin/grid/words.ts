/** The texts of the grid of many products. They are loaded with it, because few users open it. */
import { useWords } from '../core/i18n.ts'
import { messages, textsOf } from '../core/language.ts'

/** The effects of saving a grid, and the number of lines that the service rejects. */
type GridCounts = {
  readonly created: number
  readonly changed: number
  readonly removed: number
  readonly documents: number
  readonly rejected: number
}

const english = {
  pageTitle: 'Products in a grid',
  otherRows: 'Choose other rows',
  reading: (products: number) => `Reading the products… ${products || ''}`,
  missing: (count: number, names: string) =>
    `${count === 1 ? 'One of the names has' : `${count} of the names have`} no product: ${names}`,
  onlyFirst: (most: number, total: number) =>
    `The grid has the first ${most} of ${total} products. Narrow the list to see the others.`,
  byNames: 'By SKUs, barcodes or handles',
  kindOfNames: 'Kind of the names',
  names: 'Names',
  namesHint: (most: number) => `One per line, at most ${most}. A column of a spreadsheet can be pasted.`,
  openRows: (names: number) => `Open the grid (${names})`,
  byCollection: 'By collection',
  byList: 'By filter or selection',
  toProducts: 'To the products',
  savedAll: 'The changes are saved',
  editedOnly: 'Changed rows only',
  redo: 'Redo',
  change: 'Change cells',
  changes: (cells: number) => `Cells to change: ${cells}.`,
  changePrices: 'Prices by percent, and their endings',
  replace: 'Find and replace',
  findText: 'Find',
  by: 'Replace by',
  columns: 'Columns',
  introBySku: 'Pasted lines that begin with a SKU go to its row.',
  saveAll: 'Save',
  documents: (documents: number) =>
    documents === 1 ? 'one product or variant' : `${documents} products and variants`,
  confirm: 'Apply the changes',
  preview: ({ created, changed, removed, documents, rejected }: GridCounts) =>
    [
      ...(changed ? [changed === 1 ? 'One price changes' : `${changed} prices change`] : []),
      ...(created ? [created === 1 ? 'one price is new' : `${created} prices are new`] : []),
      ...(removed ? [removed === 1 ? 'one price is removed' : `${removed} prices are removed`] : []),
      ...(documents
        ? [documents === 1 ? 'one product or variant changes' : `${documents} products and variants change`]
        : []),
      ...(rejected
        ? [
            rejected === 1
              ? 'one line is rejected'
              : `${rejected} lines are rejected, and their cells say why`,
          ]
        : []),
    ].join(', '),
  savedMany: (lines: number) => (lines === 1 ? 'One change is saved.' : `${lines} changes are saved.`),
  revert: 'Undo the changes',
  reverted: (done: number, left: number) =>
    `${done} restored.${left > 0 ? ` ${left} stay, because others changed them later.` : ''}`,
  notPerformed: 'The operation stopped before this line.',
  notPasted: 'Nothing is pasted yet',
  unknownSkus: (count: number, skus: string) =>
    `${count === 1 ? 'One SKU has' : `${count} SKUs have`} no row here: ${skus}`,
  duplicateSkus: (count: number, skus: string) =>
    `${count === 1 ? 'One SKU is' : `${count} SKUs are`} in several lines: ${skus}`,
  pasteOthers: (lines: number) => (lines === 1 ? 'Paste the other line' : `Paste the other ${lines} lines`),
  tooManyCells: (cells: number, most: number) =>
    `Nothing is pasted: it has ${cells.toLocaleString('en')} cells, and a paste has at most ${most.toLocaleString('en')}.`,
}

const german: typeof english = {
  pageTitle: 'Produkte in einer Tabelle',
  otherRows: 'Andere Zeilen auswählen',
  reading: (products) => `Produkte werden gelesen… ${products || ''}`,
  missing: (count, names) =>
    `${count === 1 ? 'Zu einem der Namen' : `Zu ${count} der Namen`} gibt es kein Produkt: ${names}`,
  onlyFirst: (most, total) =>
    `Die Tabelle hat die ersten ${most} von ${total} Produkten. Grenzen Sie die Liste ein, um die anderen zu sehen.`,
  byNames: 'Nach SKUs, Barcodes oder Kennungen',
  kindOfNames: 'Art der Namen',
  names: 'Namen',
  namesHint: (most) =>
    `Einer je Zeile, höchstens ${most}. Eine Spalte einer Tabellenkalkulation lässt sich einfügen.`,
  openRows: (names) => `Tabelle öffnen (${names})`,
  byCollection: 'Nach Kollektion',
  byList: 'Nach Filter oder Auswahl',
  toProducts: 'Zu den Produkten',
  savedAll: 'Die Änderungen sind gespeichert',
  editedOnly: 'Nur geänderte Zeilen',
  redo: 'Wiederholen',
  change: 'Zellen ändern',
  changes: (cells) => `Zu ändernde Zellen: ${cells}.`,
  changePrices: 'Preise um Prozent, und ihre Endungen',
  replace: 'Suchen und ersetzen',
  findText: 'Suchen',
  by: 'Ersetzen durch',
  columns: 'Spalten',
  introBySku: 'Eingefügte Zeilen, die mit einer SKU beginnen, kommen in deren Zeile.',
  saveAll: 'Speichern',
  documents: (documents) =>
    documents === 1 ? 'ein Produkt oder eine Variante' : `${documents} Produkte und Varianten`,
  confirm: 'Änderungen anwenden',
  preview: ({ created, changed, removed, documents, rejected }) =>
    [
      ...(changed ? [changed === 1 ? '1 Preis ändert sich' : `${changed} Preise ändern sich`] : []),
      ...(created ? [created === 1 ? '1 Preis ist neu' : `${created} Preise sind neu`] : []),
      ...(removed ? [removed === 1 ? '1 Preis wird entfernt' : `${removed} Preise werden entfernt`] : []),
      ...(documents
        ? [
            documents === 1
              ? '1 Produkt oder Variante ändert sich'
              : `${documents} Produkte und Varianten ändern sich`,
          ]
        : []),
      ...(rejected
        ? [
            rejected === 1
              ? '1 Zeile wird abgelehnt'
              : `${rejected} Zeilen werden abgelehnt, ihre Zellen nennen den Grund`,
          ]
        : []),
    ].join(', '),
  savedMany: (lines) =>
    lines === 1 ? 'Eine Änderung ist gespeichert.' : `${lines} Änderungen sind gespeichert.`,
  revert: 'Änderungen rückgängig machen',
  reverted: (done, left) =>
    `${done} wiederhergestellt.${left > 0 ? ` ${left} bleiben, weil andere sie später geändert haben.` : ''}`,
  notPerformed: 'Der Vorgang endete vor dieser Zeile.',
  notPasted: 'Noch ist nichts eingefügt',
  unknownSkus: (count, skus) =>
    `${count === 1 ? 'Eine SKU hat' : `${count} SKUs haben`} hier keine Zeile: ${skus}`,
  duplicateSkus: (count, skus) =>
    `${count === 1 ? 'Eine SKU steht' : `${count} SKUs stehen`} in mehreren Zeilen: ${skus}`,
  pasteOthers: (lines) =>
    lines === 1 ? 'Die andere Zeile einfügen' : `Die anderen ${lines} Zeilen einfügen`,
  tooManyCells: (cells, most) =>
    `Es wird nichts eingefügt: Es sind ${cells.toLocaleString('de')} Zellen, höchstens möglich sind ${most.toLocaleString('de')}.`,
}

const french: typeof english = {
  pageTitle: 'Produits en tableau',
  otherRows: 'Choisir d’autres rangées',
  reading: (products) => `Lecture des produits… ${products || ''}`,
  missing: (count, names) =>
    `${count === 1 ? 'Un des noms n’a' : `${count} des noms n’ont`} pas de produit : ${names}`,
  onlyFirst: (most, total) =>
    `Le tableau a les ${most} premiers produits sur ${total}. Restreignez la liste pour voir les autres.`,
  byNames: 'Par références, codes-barres ou identifiants',
  kindOfNames: 'Sorte de noms',
  names: 'Noms',
  namesHint: (most) => `Un par ligne, ${most} au plus. Une colonne d’un tableur peut être collée.`,
  openRows: (names) => `Ouvrir le tableau (${names})`,
  byCollection: 'Par collection',
  byList: 'Par filtre ou sélection',
  toProducts: 'Vers les produits',
  savedAll: 'Les modifications sont enregistrées',
  editedOnly: 'Rangées modifiées seulement',
  redo: 'Rétablir',
  change: 'Modifier les cases',
  changes: (cells) => `Cases à modifier : ${cells}.`,
  changePrices: 'Prix en pourcentage, et leur terminaison',
  replace: 'Chercher et remplacer',
  findText: 'Chercher',
  by: 'Remplacer par',
  columns: 'Colonnes',
  introBySku:
    'Les lignes qui commencent par une référence vont aux rangées de ces références, dans n’importe quel ordre.',
  saveAll: 'Enregistrer',
  documents: (documents) =>
    documents === 1 ? 'un produit ou une variante' : `${documents} produits et variantes`,
  confirm: 'Appliquer les modifications',
  preview: ({ created, changed, removed, documents, rejected }) =>
    [
      ...(changed ? [changed === 1 ? 'Un prix change' : `${changed} prix changent`] : []),
      ...(created ? [created === 1 ? 'un prix est nouveau' : `${created} prix sont nouveaux`] : []),
      ...(removed ? [removed === 1 ? 'un prix est retiré' : `${removed} prix sont retirés`] : []),
      ...(documents
        ? [
            documents === 1
              ? 'un produit ou une variante change'
              : `${documents} produits et variantes changent`,
          ]
        : []),
      ...(rejected
        ? [
            rejected === 1
              ? 'une ligne est refusée'
              : `${rejected} lignes sont refusées, et leurs cases disent pourquoi`,
          ]
        : []),
    ].join(', '),
  savedMany: (lines) =>
    lines === 1 ? 'Une modification est enregistrée.' : `${lines} modifications sont enregistrées.`,
  revert: 'Annuler les modifications',
  reverted: (done, left) =>
    `${done} rétabli${done > 1 ? 's' : ''}.${left > 0 ? ` ${left} restent, car d’autres les ont modifiés depuis.` : ''}`,
  notPerformed: 'L’opération s’est arrêtée avant cette ligne.',
  notPasted: 'Rien n’est encore collé',
  unknownSkus: (count, skus) =>
    `${count === 1 ? 'Une référence n’a' : `${count} références n’ont`} pas de rangée ici : ${skus}`,
  duplicateSkus: (count, skus) =>
    `${count === 1 ? 'Une référence est' : `${count} références sont`} dans plusieurs lignes : ${skus}`,
  pasteOthers: (lines) => (lines === 1 ? 'Coller l’autre ligne' : `Coller les ${lines} autres lignes`),
  tooManyCells: (cells, most) =>
    `Rien n’est collé : il y a ${cells.toLocaleString('fr')} cases, et un collage en a ${most.toLocaleString('fr')} au plus.`,
}

/** The texts of a grid in the language of the interface. */
export const gridWords = () => ({ ...messages('grid'), ...textsOf({ en: english, de: german, fr: french }) })

export function useGridWords(): ReturnType<typeof gridWords> {
  // Renders again when the language changes.
  useWords('grid')
  return gridWords()
}
