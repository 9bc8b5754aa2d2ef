export default {
  "en": {
    "names": {
      "square_wave": "square wave"
    },
    "odds": "Your device sends a random place on the line from {min} to {max}, |near your answer {kept} in 100, |elsewhere {other}.| Near is within {near} % of the line; a place drawn blindly would be near {blind}.",
    "odds_extras": "Your device sends a random place on the line from {min} to {max}, |near your answer {kept} in 100, |elsewhere {other}.| Near is within {near} % of the line, which has a stretch for other answers; a place drawn blindly would be near {blind}.",
    "sent": "one of {size} places on a line."
  },
  "ar": {
    "names": {
      "square_wave": "الموجة المربعة"
    },
    "odds": "يرسل جهازك موضعًا عشوائيًا على الخط من ⁦{min}⁩ إلى ⁦{max}⁩: |قريبًا من إجابتك في {kept} من كل 100 مرة، |وبعيدًا عنها في {other} منها.| والقريب ما كان على بُعد لا يزيد على {near}% من الخط؛ ولو كان السحب عشوائيًا تمامًا لكان الموضع قريبًا في {blind} منها.",
    "odds_extras": "يرسل جهازك موضعًا عشوائيًا على الخط من ⁦{min}⁩ إلى ⁦{max}⁩: |قريبًا من إجابتك في {kept} من كل 100 مرة، |وبعيدًا عنها في {other} منها.| والقريب ما كان على بُعد لا يزيد على {near}% من الخط، وللخط جزء مخصص للإجابات الأخرى؛ ولو كان السحب عشوائيًا تمامًا لكان الموضع قريبًا في {blind} منها.",
    "sent": "موضع على خط (عدد مواضعه {size})."
  },
  "de": {
    "names": {
      "square_wave": "Rechteckwelle"
    },
    "odds": "Ihr Gerät sendet eine zufällige Stelle auf der Linie von {min} bis {max}: |in {kept} von 100 Fällen nahe bei Ihrer Antwort, |in {other} anderswo.| Nahe heißt höchstens {near} % der Linie entfernt. Bei reinem Zufall wäre die Stelle in {blind} von 100 Fällen so nahe.",
    "odds_extras": "Ihr Gerät sendet eine zufällige Stelle auf der Linie von {min} bis {max}: |in {kept} von 100 Fällen nahe bei Ihrer Antwort, |in {other} anderswo.| Nahe heißt höchstens {near} % der Linie entfernt; die Linie hat auch ein Stück für andere Antworten. Bei reinem Zufall wäre die Stelle in {blind} von 100 Fällen so nahe.",
    "sent": "eine von {size} Stellen auf einer Linie."
  },
  "fr": {
    "names": {
      "square_wave": "onde carrée"
    },
    "odds": "Votre appareil envoie un point aléatoire sur la ligne de {min} à {max}, |près de votre réponse {kept} sur 100, |ailleurs {other}.| Près veut dire à {near} % de la ligne au plus ; par pur hasard, le point serait aussi près {blind}.",
    "odds_extras": "Votre appareil envoie un point aléatoire sur la ligne de {min} à {max}, |près de votre réponse {kept} sur 100, |ailleurs {other}.| Près veut dire à {near} % de la ligne au plus ; elle a aussi une partie pour les autres réponses. Par pur hasard, le point serait aussi près {blind}.",
    "sent": "l’un des {size} points d’une ligne."
  }
};
