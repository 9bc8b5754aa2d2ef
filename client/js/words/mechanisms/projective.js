export default {
  "en": {
    "names": {
      "projective": "projective geometry response"
    },
    "odds": "Your device sends a number that stands for about {about} of the {size} {answers}, |with your real one {kept} in 100, |without it {other}.| A set drawn blindly would hold it {blind}.",
    "sent": "a number that stands for about {about} of the {size} {answers}."
  },
  "ar": {
    "names": {
      "projective": "الاستجابة بالهندسة الإسقاطية"
    },
    "odds": "يرسل جهازك رقمًا يمثّل نحو {about} من {answers} البالغ عددها {size}: |فيها اختيارك الحقيقي في {kept} من كل 100 مرة، |وليس فيها في {other} منها.| ولو كان السحب عشوائيًا تمامًا لكان فيها في {blind} منها.",
    "sent": "رقم يمثّل نحو {about} من {answers} البالغ عددها {size}."
  },
  "de": {
    "names": {
      "projective": "Antwort durch projektive Geometrie"
    },
    "odds": "Ihr Gerät sendet eine Zahl, die für etwa {about} der {size} {answers} steht: |in {kept} von 100 Fällen mit Ihrer echten Wahl, |in {other} ohne sie.| Bei reinem Zufall wäre sie in {blind} von 100 Fällen dabei.",
    "sent": "eine Zahl, die für etwa {about} der {size} {answers} steht."
  },
  "fr": {
    "names": {
      "projective": "réponse par géométrie projective"
    },
    "odds": "Votre appareil envoie un nombre qui représente environ {about} des {size} {answers}, |avec votre vrai choix {kept} sur 100, |sans lui {other}.| Par pur hasard, il y serait {blind}.",
    "sent": "un nombre qui représente environ {about} des {size} {answers}."
  }
};
