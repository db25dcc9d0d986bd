beside() {
    begun c001-1
    hog 0 1
    over c001-1
    kill $hogs
}
