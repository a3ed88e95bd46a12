const en = {
  howTo:
    'Press the space bar to lift it, move it with the arrow keys, and press the space bar again to put it down, or Escape to leave it where it was.',
  move: (name: string) => `Move ${name}`,
  lifted: (place: number, of: number) => `Lifted from place ${place} of ${of}.`,
  moved: (place: number, of: number) => `Now at place ${place} of ${of}.`,
  dropped: (place: number, of: number) => `Put down at place ${place} of ${of}.`,
  cancelled: 'Left where it was.',
}

const fr: typeof en = {
  howTo:
    'Appuyez sur la barre d’espace pour le soulever, déplacez-le avec les flèches, puis appuyez de nouveau sur la barre d’espace pour le poser, ou sur Échap pour le laisser où il était.',
  move: (name) => `Déplacer ${name}`,
  lifted: (place, of) => `Soulevé de la place ${place} sur ${of}.`,
  moved: (place, of) => `Maintenant à la place ${place} sur ${of}.`,
  dropped: (place, of) => `Posé à la place ${place} sur ${of}.`,
  cancelled: 'Laissé où il était.',
}

export const sortingWords = { en, fr }
