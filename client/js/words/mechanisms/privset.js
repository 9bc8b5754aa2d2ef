export default {
  "en": {
    "names": {
      "privset": "PrivSet"
    },
    "odds_one": "Your device fills your ticks up to {most} with blanks, and sends one of the {size} options and blanks: |one of yours {kept} in 100, |another one {other}.| Drawn blindly, it would be one of yours {blind}.",
    "odds_set": "Your device fills your ticks up to {most} with blanks, and sends a set of {picks} of the {size} options and blanks: |with at least one of yours {kept} in 100, |without any {other}.| A set drawn blindly would hold one {blind}.",
    "sent_one": "the number of one of the {size} options and blanks, counted from 0.",
    "sent_set": "a set of {picks} of the {size} options and blanks, one bit for each."
  },
  "ar": {
    "names": {
      "privset": "PrivSet"
    },
    "odds_one": "يُكمل جهازك علاماتك إلى {most} بخانات فارغة، ثم يرسل واحدًا من الخيارات والخانات الفارغة البالغ عددها {size}: |مما يخصّك في {kept} من كل 100 مرة، |ومن غيره في {other} منها.| ولو كان السحب عشوائيًا تمامًا لكان مما يخصّك في {blind} منها.",
    "odds_set": "يُكمل جهازك علاماتك إلى {most} بخانات فارغة، ثم يرسل مجموعة فيها {picks} من الخيارات والخانات الفارغة البالغ عددها {size}: |فيها واحد على الأقل مما يخصّك في {kept} من كل 100 مرة، |وليس فيها شيء منه في {other} منها.| ولو كان السحب عشوائيًا تمامًا لكان فيها واحد في {blind} منها.",
    "sent_one": "رقم من قائمة الخيارات والخانات الفارغة البالغ عددها {size}، والعدّ يبدأ من 0.",
    "sent_set": "مجموعة فيها {picks} من الخيارات والخانات الفارغة البالغ عددها {size}، بت واحد لكل منها."
  },
  "de": {
    "names": {
      "privset": "PrivSet"
    },
    "odds_one": "Ihr Gerät ergänzt Ihre Häkchen mit leeren Feldern auf {most}. Von den {size} Optionen und leeren Feldern sendet es eines: |in {kept} von 100 Fällen eines von Ihren, |in {other} ein anderes.| Bei reinem Zufall wäre es in {blind} von 100 Fällen eines von Ihren.",
    "odds_set": "Ihr Gerät ergänzt Ihre Häkchen mit leeren Feldern auf {most}. Von den {size} Optionen und leeren Feldern sendet es eine Auswahl von {picks}: |in {kept} von 100 Fällen mit mindestens einem von Ihren, |in {other} ohne eines davon.| Bei reinem Zufall wäre in {blind} von 100 Fällen eines dabei.",
    "sent_one": "eine Nummer aus der Liste der {size} Optionen und leeren Felder, ab 0 gezählt.",
    "sent_set": "eine Auswahl von {picks} der {size} Optionen und leeren Felder, je ein Bit."
  },
  "fr": {
    "names": {
      "privset": "PrivSet"
    },
    "odds_one": "Votre appareil ajoute des cases vides à vos coches, jusqu’à {most}. Parmi les {size} options et cases vides, il envoie |l’une des vôtres {kept} sur 100, |une autre {other}.| Par pur hasard, ce serait l’une des vôtres {blind}.",
    "odds_set": "Votre appareil ajoute des cases vides à vos coches, jusqu’à {most}. Parmi les {size} options et cases vides, il envoie un ensemble de {picks}, |avec au moins l’une des vôtres {kept} sur 100, |sans aucune {other}.| Par pur hasard, il en contiendrait une {blind}.",
    "sent_one": "le numéro de l’une des {size} options et cases vides, compté à partir de 0.",
    "sent_set": "un ensemble de {picks} des {size} options et cases vides, un bit pour chacune."
  }
};
