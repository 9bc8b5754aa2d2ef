export default {
  "en": {
    "names": {
      "subset": "subset selection",
      "warner": "randomized response"
    },
    "odds_one": "Your device sends |{yours} {kept} in 100, |{rest} {other}.",
    "odds_set": "Your device sends a set of {picks} of the {size} {answers}, |with your real one {kept} in 100, |without it {other}.| A set drawn blindly would hold it {blind}.",
    "sent_bit": "1 for yes or 0 for no.",
    "sent_one": "the number of one of the {size} {answers}, counted from 0.",
    "sent_set": "a set of {picks} of the {size} {answers}, one bit for each."
  },
  "ar": {
    "names": {
      "subset": "اختيار مجموعة جزئية",
      "warner": "الاستجابة العشوائية"
    },
    "odds_one": "يرسل جهازك |{yours} في {kept} من كل 100 مرة، |و{rest} في {other} منها.",
    "odds_set": "يرسل جهازك مجموعة فيها {picks} من {answers} البالغ عددها {size}: |فيها اختيارك الحقيقي في {kept} من كل 100 مرة، |وليس فيها في {other} منها.| ولو كان السحب عشوائيًا تمامًا لكان فيها في {blind} منها.",
    "sent_bit": "1 لـ«نعم» أو 0 لـ«لا».",
    "sent_one": "رقم من قائمة {answers} البالغ عددها {size}، والعدّ يبدأ من 0.",
    "sent_set": "مجموعة فيها {picks} من {answers} البالغ عددها {size}، بت واحد لكل منها."
  },
  "de": {
    "names": {
      "subset": "Auswahl einer Teilmenge",
      "warner": "Randomized Response"
    },
    "odds_one": "Ihr Gerät sendet |in {kept} von 100 Fällen {yours}, |in {other} {rest}.",
    "odds_set": "Ihr Gerät sendet eine Auswahl von {picks} der {size} {answers}: |in {kept} von 100 Fällen mit Ihrer echten Wahl, |in {other} ohne sie.| Bei reinem Zufall wäre sie in {blind} von 100 Fällen dabei.",
    "sent_bit": "1 für Ja oder 0 für Nein.",
    "sent_one": "eine Nummer aus der Liste der {size} {answers}, ab 0 gezählt.",
    "sent_set": "eine Auswahl von {picks} der {size} {answers}, je ein Bit."
  },
  "fr": {
    "names": {
      "subset": "choix d’un sous-ensemble",
      "warner": "réponse aléatoire (randomized response)"
    },
    "odds_one": "Votre appareil envoie |{yours} {kept} sur 100, |{rest} {other}.",
    "odds_set": "Votre appareil envoie un ensemble de {picks} des {size} {answers}, |avec votre vrai choix {kept} sur 100, |sans lui {other}.| Par pur hasard, il y serait {blind}.",
    "sent_bit": "1 pour oui ou 0 pour non.",
    "sent_one": "le numéro de l’une des {size} {answers}, compté à partir de 0.",
    "sent_set": "un ensemble de {picks} des {size} {answers}, un bit pour chacune."
  }
};
