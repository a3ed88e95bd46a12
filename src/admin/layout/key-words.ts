/** The texts of the dialogs that keys open, which are loaded with them. */
import { useTexts } from '../core/i18n.ts'

const english = {
  title: 'Keys',
  palette: 'Go to',
  paletteLabel: 'Product, SKU, page or action',
  nothing: 'Nothing has this name.',
  page: 'Page',
  action: 'Action',
  importProducts: 'Import products',
  create: (name: string) => `Create: ${name}`,
  keys: {
    'Ctrl + K': 'Opens any product, page or action by its name',
    '/': 'Moves to the search of a list',
    '↓ ↑': 'Move from the search to the rows, and between them; Enter opens a row',
    'Ctrl + S': 'Saves the form',
    'Ctrl + Enter': 'Saves a translation and opens the next untranslated text',
    Esc: 'Closes a dialog',
    '?': 'Shows these keys',
  },
}

const german: typeof english = {
  title: 'Tasten',
  palette: 'Gehe zu',
  paletteLabel: 'Produkt, SKU, Seite oder Aktion',
  nothing: 'Nichts hat diesen Namen.',
  page: 'Seite',
  action: 'Aktion',
  importProducts: 'Produkte importieren',
  create: (name) => `Anlegen: ${name}`,
  keys: {
    'Ctrl + K': 'Öffnet ein Produkt, eine Seite oder eine Aktion über den Namen',
    '/': 'Springt zur Suche einer Liste',
    '↓ ↑': 'Wechseln von der Suche zu den Zeilen und zwischen ihnen; Eingabe öffnet eine Zeile',
    'Ctrl + S': 'Speichert das Formular',
    'Ctrl + Enter': 'Speichert eine Übersetzung und öffnet den nächsten unübersetzten Text',
    Esc: 'Schließt einen Dialog',
    '?': 'Zeigt diese Tasten',
  },
}

const french: typeof english = {
  title: 'Touches',
  palette: 'Aller à',
  paletteLabel: 'Produit, SKU, page ou action',
  nothing: 'Rien ne porte ce nom.',
  page: 'Page',
  action: 'Action',
  importProducts: 'Importer des produits',
  create: (name) => `Créer : ${name}`,
  keys: {
    'Ctrl + K': 'Ouvre un produit, une page ou une action par son nom',
    '/': 'Va à la recherche de la liste',
    '↓ ↑': 'Vont de la recherche aux lignes, puis d’une ligne à l’autre ; Entrée ouvre la ligne',
    'Ctrl + S': 'Enregistre le formulaire',
    'Ctrl + Enter': 'Enregistre une traduction et ouvre le texte suivant à traduire',
    Esc: 'Ferme un dialogue',
    '?': 'Affiche ces touches',
  },
}

export const useKeyWords = () => useTexts({ en: english, de: german, fr: french })
