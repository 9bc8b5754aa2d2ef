export default {
  "en": {
    "names": {
      "repeated": "randomized response, remembered and repeated"
    },
    "odds": "Your device draws one lasting random answer, |your real one {kept} in 100, |{rest} {other}.| In each wave it sends a new random draw of that answer.",
    "sent": "the number of one of the {size} {answers}, counted from 0."
  },
  "ar": {
    "names": {
      "repeated": "الاستجابة العشوائية، محفوظة ومكررة"
    },
    "odds": "يسحب جهازك إجابة عشوائية مرة واحدة ويحفظها: |إجابتك الحقيقية في {kept} من كل 100 مرة، |و{rest} في {other} منها.| وفي كل جولة يُجري سحبًا جديدًا انطلاقًا من تلك الإجابة ويرسل نتيجته.",
    "sent": "رقم من قائمة {answers} البالغ عددها {size}، والعدّ يبدأ من 0."
  },
  "de": {
    "names": {
      "repeated": "Randomized Response, gemerkt und wiederholt"
    },
    "odds": "Ihr Gerät würfelt einmal eine Antwort aus und merkt sie sich: |in {kept} von 100 Fällen Ihre echte, |in {other} {rest}.| In jeder Runde würfelt es mit dieser gemerkten Antwort noch einmal und sendet das Ergebnis.",
    "sent": "eine Nummer aus der Liste der {size} {answers}, ab 0 gezählt."
  },
  "fr": {
    "names": {
      "repeated": "réponse aléatoire, retenue et répétée"
    },
    "odds": "Votre appareil tire une réponse au sort et la garde en mémoire : |la vraie {kept} sur 100, |{rest} {other}.| À chaque vague, il refait un tirage à partir de cette réponse et envoie le résultat.",
    "sent": "le numéro de l’une des {size} {answers}, compté à partir de 0."
  }
};
