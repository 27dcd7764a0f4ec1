tina:teacher:$y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/
Otto K.:operator:$y$jBT$saltsaltsaltsaltsalt/.$kVse4YrYuYUmlovbLO0UJ97of0Kjz3iNuk3UZdIQRF7
anna:viewer:$y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/
