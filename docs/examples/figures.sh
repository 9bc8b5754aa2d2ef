#!/bin/sh
# Read figures of a survey as JSON, one object a line: sh figures.sh ADDRESS SURVEY TOKEN
# Put in the ids of your own questions and groups: here they are cheated, helped, stress and faculty.
set -eu
read_figures() {
  curl --fail-with-body --silent --show-error --header "Authorization: Bearer $3" "$1/api/v1/surveys/$2/$4"
  echo
}
for call in \
  "estimates" \
  "compare?question=cheated&by=faculty" \
  "crosstab?questions=cheated,helped" \
  "quantiles?question=stress&shares=0.5" \
  "regression?outcome=cheated&covariates=faculty&model=linear"
do
  read_figures "$1" "$2" "$3" "$call"
done
